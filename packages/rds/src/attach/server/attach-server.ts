import type { Duplex } from "node:stream";
import type { DatagramAddress } from "@verbena/core/sdk";
import type { IpAddress } from "@verbena/ib";

/** What other processes may do with a stack. */
export interface AttachServerOptions {
  /** Local addresses that they may bind. Default: all that the stack serves. */
  readonly addresses?: readonly IpAddress[];
  /** Sockets at one time. Default 1024. */
  readonly maxSockets?: number;
  /** Largest send and receive buffer of a socket, payload bytes: what one process can make the stack keep. Default 16 MiB. */
  readonly maxBufferSize?: number;
}

/**
 * Lets other processes use the addresses of a stack: each connection is a socket of theirs, which is closed when the connection ends. Whoever has
 * made it listens, and hands over the connections. `docs/rds-attach.md` has the protocol and what it guarantees.
 */
export interface AttachServer extends AsyncDisposable {
  /** Ends of sockets of other processes. */
  readonly sockets: readonly DatagramAddress[];
  /** Takes over a connection, such as one of a server of `node:net` on a Unix socket. One too many is told so and ended. */
  accept(stream: Duplex): void;
  /** Ends all connections and closes their sockets; idempotent. The programs attach again where another stack answers. */
  close(): Promise<void>;
}
