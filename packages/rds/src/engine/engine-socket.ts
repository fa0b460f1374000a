import type {
  ControlMessage,
  DatagramAddress,
  DatagramErrno,
  DatagramReceiveRequest,
  MessageTransport,
  ReceivedItem,
  SendAttempt,
  SocketBackend,
  SocketEvents,
  SocketLimits,
  TransportInfoLists,
} from "@verbena/core/sdk";
import { errnoError, rdsError } from "../errors.js";
import { CongestionMonitor } from "./congestion-monitor.js";
import type { Engine } from "./engine.js";
import { listInfo } from "./info.js";
import type { LocalAddress, PortOwner } from "./local-address.js";
import { payloadLength } from "./outgoing-message.js";
import { ENTRY_BYTES, ReceiveQueue } from "./receive-queue.js";
import type { Route, Sending } from "./route.js";
import type { WaitingMessage } from "./waiting-message.js";

/** Default of both limits, payload bytes: what Linux comes to by its own defaults. */
export const DEFAULT_BUFFER_SIZE = 106_496;

/** A socket of the user-space engine. */
export class EngineSocket implements SocketBackend, PortOwner {
  readonly controlTypes: readonly ControlMessage["type"][] = [];
  readonly limits: SocketLimits;
  timestamps = false;
  /** Default destination, for the list of sockets. */
  connected: DatagramAddress | undefined;
  readonly inode: bigint;
  readonly #engine: Engine;
  readonly #transport: MessageTransport;
  readonly #events: SocketEvents;
  readonly #monitor = new CongestionMonitor();
  readonly #queue = new ReceiveQueue();
  #bound: { readonly at: LocalAddress; readonly address: DatagramAddress; readonly sending: Sending } | undefined;
  #sendBytes = 0;
  #pending = 0;
  #wasRefused = false;
  #isClosed = false;
  #route: { readonly to: DatagramAddress; readonly generation: number; readonly route: Route } | undefined;

  constructor(
    engine: Engine,
    transport: MessageTransport,
    events: SocketEvents,
    /** The program has asked for this transport and no other. */
    private readonly isChosen: boolean,
  ) {
    this.#engine = engine;
    this.#transport = transport;
    this.#events = events;
    this.inode = engine.nextInode();
    this.limits = new Limits((isRaised) => {
      if (isRaised && this.isWritable) events.writable();
    });
  }

  get transport(): string {
    return this.#bound?.at.transportName ?? this.#transport.name;
  }

  get maxMessageSize(): number {
    return this.#engine.settings.maxMessageSize;
  }

  get wantsTimestamps(): boolean {
    return this.timestamps;
  }

  /** The end it is bound to. */
  get address(): DatagramAddress | undefined {
    return this.#bound?.address;
  }

  get waiting(): Iterable<WaitingMessage> {
    return this.#queue;
  }

  /** The message so far behind the one that is received next. */
  waitingAt(index: number): WaitingMessage | undefined {
    return this.#queue.at(index);
  }

  async bind(local: DatagramAddress): Promise<DatagramAddress> {
    const at = await this.#engine.open({ address: local.address, scopeId: local.scopeId }, this.#transport);
    if (this.#isClosed || this.#engine.isClosed) throw rdsError("VERBENA_RDS_CLOSED", { details: { what: "socket" } });
    if (this.isChosen && at.transportName !== this.#transport.name) {
      const reason = `${local.address} is open on the transport ${at.transportName} already`;
      throw errnoError("ENOPROTOOPT", { reason });
    }
    const port = at.claimPort(local.port, this);
    if (port === undefined) {
      const reason =
        local.port === 0
          ? `all ports of ${local.address} are in use`
          : `port ${local.port} of ${local.address} is in use by another socket`;
      throw errnoError("EADDRINUSE", { reason });
    }
    const address = { ...local, port };
    this.#bound = { at, address, sending: { source: address, owner: this } };
    this.#engine.sockets.add(this);
    return address;
  }

  trySend(
    to: DatagramAddress,
    payload: Uint8Array | readonly Uint8Array[],
    control?: readonly ControlMessage[],
    attempt: SendAttempt = "only",
  ): DatagramErrno | undefined {
    if (this.#bound === undefined) return "ENOTCONN";
    const { counters, settings } = this.#engine;
    const length = payloadLength(payload);
    const { sendBufferSize } = this.limits;
    if (length > settings.maxMessageSize || length > sendBufferSize) return "EMSGSIZE";
    if (control !== undefined && control.length > 0) return "EINVAL";
    const route = this.#routeTo(this.#bound.at, to);
    if (route === undefined) return "ENOMEM";
    if (route.isCongested(to.port)) {
      if (attempt === "only") counters.cong_send_error += 1;
      if (attempt === "first") counters.cong_send_blocked += 1;
      this.#wasRefused = true;
      this.#monitor.refused(to.port);
      return "ENOBUFS";
    }
    const needsRoom = length > 0 || settings.semantics === "linux";
    if (needsRoom && this.#sendBytes >= sendBufferSize) {
      if (attempt !== "another") counters.send_queue_full += 1;
      return "EAGAIN";
    }
    counters.send_queued += 1;
    counters.copy_from_user += length;
    route.send(this.#bound.sending, to.port, payload, length);
    return undefined;
  }

  tryReceive(request: DatagramReceiveRequest = {}): ReceivedItem | undefined {
    if (this.#monitor.hasPending) return this.#monitor.take();
    const message = this.#queue.at(0)?.read(request);
    if (message === undefined) return undefined;
    const { counters } = this.#engine;
    if (request.peek !== true) {
      this.#queue.shift();
      counters.recv_delivered += 1;
      counters.recv_bytes_freed_fromsock += message.length;
      this.#bound?.at.waitingChanged(-message.length - ENTRY_BYTES);
      this.#judgeCongestion();
    }
    counters.copy_to_user += message.data.length;
    return message;
  }

  get isReadable(): boolean {
    return this.#queue.length > 0 || this.#monitor.hasPending;
  }

  get isWritable(): boolean {
    return this.#sendBytes < this.limits.sendBufferSize;
  }

  get pendingMessages(): number {
    return this.#pending;
  }

  reserve(length: number): void {
    this.#sendBytes += length;
    this.#pending += 1;
  }

  release(length: number): void {
    const limit = this.limits.sendBufferSize;
    const wasFull = this.#sendBytes >= limit;
    this.#sendBytes -= length;
    this.#pending -= 1;
    const hasRoom = this.#sendBytes < limit;
    if ((wasFull && hasRoom) || this.#pending === 0) this.#events.writable();
  }

  enqueue(entry: WaitingMessage): void {
    const { counters, waiting } = this.#engine;
    const { length } = entry;
    this.#queue.push(entry);
    counters.recv_queued += 1;
    counters.recv_bytes_added_to_sock += length;
    this.#bound?.at.waitingChanged(length + ENTRY_BYTES);
    this.#judgeCongestion();
    this.#events.readable();
    entry.note(waiting);
  }

  /** Lets go the blocks of memory that waiting messages came in. */
  settle(): void {
    this.#queue.settle();
  }

  /** Ports of some map have become free, folded to 64 bits; 0 when a map came that frees none. */
  congestionChanged(freed: bigint): void {
    if (freed !== 0n && this.#monitor.freed(freed)) this.#events.readable();
    if (!this.#wasRefused) return;
    this.#wasRefused = false;
    this.#events.uncongested();
  }

  cancel(to?: DatagramAddress): void {
    const at = this.#bound?.at;
    if (at === undefined) return;
    const isWanted = (message: { readonly owner: unknown; readonly destinationPort: number }): boolean =>
      message.owner === this && (to === undefined || message.destinationPort === to.port);
    for (const peer of at.peers.values()) {
      const isAsked = to === undefined || (peer.remote.address === to.address && peer.remote.scopeId === to.scopeId);
      if (isAsked && this.#pending > 0) peer.cancel(isWanted);
    }
  }

  monitorCongestion(mask: bigint | "refused" | undefined): void {
    this.#monitor.set(mask);
  }

  get monitoredPorts(): bigint | undefined {
    return this.#monitor.mask;
  }

  info<List extends keyof TransportInfoLists>(list: List): Promise<TransportInfoLists[List]> {
    return Promise.resolve(listInfo(this.#engine, list));
  }

  close(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    this.#isClosed = true;
    this.cancel();
    this.#engine.sockets.delete(this);
    const { memory } = this.#queue;
    this.#queue.clear();
    if (this.#bound !== undefined) {
      this.#bound.at.waitingChanged(-memory);
      this.#bound.at.freePort(this.#bound.address.port);
    }
    return Promise.resolve();
  }

  #routeTo(from: LocalAddress, to: DatagramAddress): Route | undefined {
    const known = this.#route;
    const generation = this.#engine.routesGeneration;
    if (known?.generation === generation && known.to.address === to.address && known.to.scopeId === to.scopeId) {
      return known.route;
    }
    const route = this.#engine.route(from, to);
    this.#route = route === undefined || route.isPassing ? undefined : { to, generation, route };
    return route;
  }

  /** Only where messages come and go: a changed limit alone changes nothing. */
  #judgeCongestion(): void {
    const bound = this.#bound;
    if (!bound?.at.hasCongestion) return;
    const wasCongested = this.#queue.isCongested;
    const limit = this.limits.receiveBufferSize;
    const enough = this.#engine.settings.semantics === "linux" ? Math.floor(limit / 2) : limit;
    this.#queue.judge(limit, enough);
    const { isCongested } = this.#queue;
    if (isCongested !== wasCongested) bound.at.setCongested(bound.address.port, isCongested);
  }
}

/** The limits of a socket; raising that of sending may make room. */
class Limits implements SocketLimits {
  receiveBufferSize = DEFAULT_BUFFER_SIZE;
  readonly #onSendLimit: (isRaised: boolean) => void;
  #sendBufferSize = DEFAULT_BUFFER_SIZE;

  constructor(onSendLimit: (isRaised: boolean) => void) {
    this.#onSendLimit = onSendLimit;
  }

  get sendBufferSize(): number {
    return this.#sendBufferSize;
  }

  set sendBufferSize(bytes: number) {
    const isRaised = bytes > this.#sendBufferSize;
    this.#sendBufferSize = bytes;
    this.#onSendLimit(isRaised);
  }
}
