/**
 * RDS, reliable datagram sockets: datagrams that arrive exactly once and in order, between any number of sockets over one connection per pair
 * of hosts, with congestion control by port.
 *
 * @packageDocumentation
 */
import { defineProvider } from "@verbena/core/sdk";
import { optionsSchema } from "./provider/options.js";
import { RdsTransports } from "./provider/rds-transports.js";

export type { AttachEvent } from "./attach/client/attach-context.js";
export { AttachTransport, type AttachTransportOptions } from "./attach/client/attach-transport.js";
export type { AttachServer, AttachServerOptions } from "./attach/server/attach-server.js";
export { CONGESTION_MONITOR_SIZE, congestionBit, congestionMask } from "./engine/congestion-monitor.js";
export type { RdsSemantics } from "./engine/settings.js";
export { RDS_ERRORS } from "./errors.js";
export { KernelTransport, type KernelTransportOptions } from "./kernel/kernel-transport.js";
export { LoopTransport } from "./loop/loop-transport.js";
export { optionsSchema, type RdsProviderOptions } from "./provider/options.js";
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

/** The definition the core loads by package name: the transports of this package. */
export default defineProvider({
  manifest: {
    name: "rds",
    version: "0.1.0",
    sdk: "^1.3",
    roles: ["transport"],
    capabilities: ["ipv4", "ipv6"],
    options: optionsSchema,
  },
  provider: RdsTransports,
});
