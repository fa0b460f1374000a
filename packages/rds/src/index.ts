/**
 * RDS, reliable datagram sockets: datagrams that arrive exactly once and in order, between any number of sockets over one connection per pair
 * of hosts, with congestion control by port.
 *
 * @packageDocumentation
 */
export { CONGESTION_MONITOR_SIZE, congestionBit, congestionMask } from "./engine/congestion-monitor.js";
export type { RdsSemantics } from "./engine/settings.js";
export { RDS_ERRORS } from "./errors.js";
export { KernelTransport, type KernelTransportOptions } from "./kernel/kernel-transport.js";
export { LoopTransport } from "./loop/loop-transport.js";
export { RdsAddress, type RdsAddressInput } from "./socket/ends.js";
export { RdsSocket } from "./socket/rds-socket.js";
export type {
  RdsPayload,
  RdsReadiness,
  RdsReceiveOptions,
  RdsSendOptions,
  RdsSocketOptions,
} from "./socket/types.js";
export type { WaitOptions } from "./socket/wait-list.js";
export type { RdsHost } from "./stack/rds-host.js";
export { RdsStack, type RdsStackOptions } from "./stack/rds-stack.js";
export type { TcpHost } from "./tcp/tcp-context.js";
export type { TcpTransportOptions } from "./tcp/tcp-options.js";
export { TcpTransport } from "./tcp/tcp-transport.js";
