import type { DatagramAddress } from "@verbena/core/sdk";
import type { LocalAddress } from "./local-address.js";
import { copyParts, type MessageOwner, OutgoingMessage } from "./outgoing-message.js";
import type { Peer } from "./peer.js";

/** Who sends: a bound socket. */
export interface Sending {
  readonly source: DatagramAddress;
  readonly owner: MessageOwner & { reserve(length: number): void };
}

/** Where the messages for an address go. */
export interface Route {
  /** May be another one for the next message. */
  readonly isPassing: boolean;
  isCongested(port: number): boolean;
  /** Takes a copy of the payload. */
  send(sending: Sending, port: number, payload: Uint8Array | readonly Uint8Array[], length: number): void;
}

/** Over a transport to a peer: the message waits until it is acknowledged. */
export class PeerRoute implements Route {
  constructor(
    readonly peer: Peer,
    readonly isPassing = false,
  ) {}

  isCongested(port: number): boolean {
    return this.peer.isCongested(port);
  }

  send({ source, owner }: Sending, port: number, payload: Uint8Array | readonly Uint8Array[], length: number): void {
    // First, for memory may be refused.
    const message = new OutgoingMessage(this.peer.room(length), source.port, port, payload, length, owner);
    owner.reserve(length);
    this.peer.send(message);
  }
}

/** To another local address of the engine: received at once, by the receiver's own map. */
export class InternalRoute implements Route {
  readonly isPassing = false;

  constructor(
    readonly from: LocalAddress,
    readonly to: LocalAddress,
  ) {}

  isCongested(port: number): boolean {
    return this.to.map.has(port);
  }

  send({ source }: Sending, port: number, payload: Uint8Array | readonly Uint8Array[], length: number): void {
    if (port === 0) return this.#ping(source);
    const block = this.to.internalMemory.blockFor(length);
    const copy = block.cut(length);
    copyParts(payload, copy, 0);
    this.to.deliverInternal(source, port, copy, block);
  }

  #ping(source: DatagramAddress): void {
    const { counters, answersPings, local } = this.to;
    counters.recv_ping += 1;
    if (!answersPings || this.from.map.has(source.port)) return;
    counters.send_pong += 1;
    this.from.deliverInternal({ ...local, port: 0 }, source.port, Buffer.alloc(0));
  }
}

/** Nowhere: a loopback address that nobody has opened, or one that its transport never reaches. Accepted and dropped, as messages to unbound ports are. */
export class NoRoute implements Route {
  readonly isPassing = false;

  constructor(readonly from: LocalAddress) {}

  isCongested(): boolean {
    return false;
  }

  send(): void {
    this.from.counters.recv_drop_no_sock += 1;
  }
}
