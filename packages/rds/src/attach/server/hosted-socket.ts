import type {
  DatagramAddress,
  DatagramErrno,
  MessageTransport,
  SocketEvents,
  TransportInfoLists,
} from "@verbena/core/sdk";
import type { Engine } from "../../engine/engine.js";
import { EngineSocket } from "../../engine/engine-socket.js";
import { listInfo } from "../../engine/info.js";
import { addressKey } from "../../engine/ip.js";
import type { LocalAddress } from "../../engine/local-address.js";
import type { DestinationState } from "../protocol/server-frames.js";

/** What a socket that belongs to an attached process tells, beside what every socket does. */
export interface HostedEvents extends SocketEvents {
  /** A message has been acknowledged or cancelled: so many payload bytes. */
  released(length: number): void;
}

/** A socket of the engine whose program is in another process. */
export class HostedSocket extends EngineSocket {
  readonly #engine: Engine;
  readonly #events: HostedEvents;
  #reservations = 0;
  #freed = 0n;

  constructor(engine: Engine, transport: MessageTransport, events: HostedEvents) {
    super(engine, transport, events, false);
    this.#engine = engine;
    this.#events = events;
  }

  override reserve(length: number): void {
    this.#reservations += 1;
    super.reserve(length);
  }

  override release(length: number): void {
    super.release(length);
    this.#events.released(length);
  }

  /** As `trySend`; one that goes to a socket of this stack, or nowhere, is released at once. */
  offer(to: DatagramAddress, payload: Buffer): DatagramErrno | undefined {
    const before = this.#reservations;
    const refusal = this.trySend(to, payload);
    if (refusal === undefined && this.#reservations === before) this.#events.released(payload.length);
    return refusal;
  }

  /** What a send to this end would meet. */
  stateOf(to: DatagramAddress): DestinationState {
    const at = this.#at;
    return at === undefined ? "free" : this.#engine.outlook(at, to);
  }

  /** Whether a send to a host that is no peer yet may find room for one. */
  get hasRoomForPeer(): boolean {
    return this.#at?.hasRoomForPeer !== false;
  }

  /** One of the lists of the engine. */
  list<List extends keyof TransportInfoLists>(list: List): TransportInfoLists[List] {
    return listInfo(this.#engine, list);
  }

  /** Ports of some map that have become free since this was last asked, folded to 64 bits. */
  takeFreed(): bigint {
    const item = this.tryReceive({ peek: true, maxLength: 0 });
    if (item?.type === "congestion") this.#freed |= item.ports;
    const freed = this.#freed;
    this.#freed = 0n;
    return freed;
  }

  /** Whether the host of this end is a peer. */
  hasPeer(to: DatagramAddress): boolean {
    return this.#at?.peers.has(addressKey(to)) === true;
  }

  get #at(): LocalAddress | undefined {
    return this.address === undefined ? undefined : this.#engine.locals.get(addressKey(this.address));
  }

  /** Drops the message that has waited longest: its program has received it. */
  dropOldest(): void {
    const item = this.tryReceive();
    if (item?.type !== "congestion") return;
    this.#freed |= item.ports;
    this.tryReceive();
  }
}
