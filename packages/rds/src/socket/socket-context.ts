import type { Clock, DatagramTransport, SocketBackend, SocketEvents, TransportAddress } from "@verbena/core/sdk";
import type { RdsSemantics } from "../engine/settings.js";

/** What a socket needs of its stack. */
export interface SocketContext {
  readonly clock: Clock;
  readonly semantics: RdsSemantics;
  /** Throws ENOPROTOOPT when there is none of that name. */
  transportNamed(name: string): DatagramTransport;
  /** The one named, or the first that claims the address. Throws ENOPROTOOPT or EADDRNOTAVAIL. */
  transportFor(local: TransportAddress, name: string | undefined): DatagramTransport;
  /** `isChosen`: the program has asked for this transport and no other. */
  open(transport: DatagramTransport, events: SocketEvents, isChosen: boolean): SocketBackend;
  /** The socket is closed. */
  forget(socket: object): void;
}
