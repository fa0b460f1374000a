import type { Duplex } from "node:stream";
import type { IpAddress } from "@verbena/ib";
import type { Clock, Logger, Metrics, Random } from "../sdk/services.js";
import type { DatagramTransport } from "../sdk/transport.js";

/** What hosting RDS sockets gets of the daemon. */
export interface RdsHostingServices {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Of the configuration, in the order in which they are asked. The daemon closes them, afterwards. */
  readonly transports: readonly DatagramTransport[];
  /** Local addresses that may be bound; absent: all that the transports serve. */
  readonly addresses?: readonly IpAddress[];
  /** Sockets at one time. */
  readonly maxSockets: number;
  /** Largest buffer of a socket, payload bytes. */
  readonly maxBufferSize: number;
}

/** RDS sockets of other processes. */
export interface HostedRds {
  /** How many are bound. */
  readonly socketCount: number;
  /** A process has connected. */
  accept(connection: Duplex): void;
  /** Ends connections and closes what they have opened. */
  close(): Promise<void>;
}

/**
 * Makes the host of RDS sockets of other processes. The core has no RDS of its own: whoever starts a daemon that is to do this hands it in, as
 * `verbena serve` does with that of `@verbena/rds`.
 */
export type RdsHosting = (services: RdsHostingServices) => Promise<HostedRds>;
