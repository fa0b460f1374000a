/**
 * RDS, reliable datagram sockets: datagrams that arrive exactly once and in order, between any number of sockets over one connection per pair
 * of hosts, with congestion control by port.
 *
 * @packageDocumentation
 */
export { RDS_ERRORS } from "./errors.js";
export { KernelTransport, type KernelTransportOptions } from "./kernel/kernel-transport.js";
export type { RdsHost } from "./stack/rds-host.js";
