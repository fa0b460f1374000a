import type { SocketBackend, SocketEvents } from "./datagram-socket.js";
import type { MessageTransport, TransportAddress } from "./message-transport.js";

/** A transport that has datagram sockets of its own, such as those of the kernel. */
export interface SocketTransport {
  readonly kind: "sockets";
  /** To choose it by: at most 15 bytes of ASCII. */
  readonly name: string;
  /** Whether this transport serves the given local address. MUST NOT block. */
  claims(local: TransportAddress): boolean;
  /** A socket, not yet bound. Throws a coded error. */
  openSocket(events: SocketEvents): SocketBackend;
}

/** A carrier of datagrams (RDS). */
export type DatagramTransport = MessageTransport | SocketTransport;

/** A provider of carriers of datagrams. The first of all transports whose `claims` says yes to the local address serves a bind. Since SDK 1.3. */
export interface TransportProvider extends AsyncDisposable {
  /** In the order in which they are asked. Fixed from the start. */
  readonly transports: readonly DatagramTransport[];
}
