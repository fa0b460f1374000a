import type { ReceivedItem, SocketBackend, SocketEvents, TransportInfoLists } from "@verbena/core/sdk";
import { IpAddress } from "@verbena/ib";
import { checkList } from "../engine/info.js";
import { errnoError, rdsError } from "../errors.js";
import { bindableEnd, connectableEnd, invalid, type RdsAddress, type RdsAddressInput } from "./ends.js";
import { Readiness } from "./readiness.js";
import { Receiver } from "./receiver.js";
import { Sender } from "./sender.js";
import type { SocketContext } from "./socket-context.js";
import { SocketSettings } from "./socket-settings.js";
import type { RdsPayload, RdsReadiness, RdsReceiveOptions, RdsSendOptions, RdsSocketOptions } from "./types.js";
import type { WaitOptions } from "./wait-list.js";

/**
 * A socket for reliable datagrams: one address and port of its own, any number of peers. What it sends arrives at a peer's socket exactly once
 * and in order, as long as both sockets and both hosts live; a message for a port that nobody has bound is dropped in silence, and an
 * unreachable peer is no error.
 *
 * Methods that wait give promises; `try…` are their twins that never wait and throw `VERBENA_RDS_EAGAIN` or `VERBENA_RDS_ENOBUFS` instead.
 * Errors of both kinds carry the `errno` that Linux has for them.
 */
export class RdsSocket implements AsyncDisposable {
  readonly #context: SocketContext;
  readonly #settings: SocketSettings;
  readonly #readiness: Readiness;
  readonly #sender: Sender;
  readonly #receiver: Receiver;
  #transport: string | undefined;
  #backend: SocketBackend | undefined;
  /** One that is being bound. */
  #opening: SocketBackend | undefined;
  #binding: Promise<RdsAddress> | undefined;
  #local: RdsAddress | undefined;
  #remote: RdsAddress | undefined;
  #closing: Promise<void> | undefined;

  /** @internal Made by `RdsStack.createSocket`. */
  constructor(context: SocketContext, options: RdsSocketOptions) {
    this.#context = context;
    this.#settings = new SocketSettings(options);
    this.#readiness = new Readiness(context.clock);
    this.#sender = new Sender(context, this.#settings, this.#readiness);
    this.#receiver = new Receiver(context.clock, this.#settings);
    if (options.transport !== undefined) this.useTransport(options.transport);
  }

  /** The end the socket is bound to. */
  get localAddress(): RdsAddress | undefined {
    return this.#local;
  }

  /** The default destination. */
  get remoteAddress(): RdsAddress | undefined {
    return this.#remote;
  }

  /** Name of the transport that serves the socket; `undefined` before it is bound, or told which to use. */
  get transport(): string | undefined {
    return this.#backend?.transport ?? this.#transport;
  }

  /**
   * Lets only this transport serve the socket. Throws `VERBENA_RDS_EOPNOTSUPP` when the socket is bound or has been told one already,
   * `VERBENA_RDS_ENOPROTOOPT` when the stack has none of that name.
   */
  useTransport(name: string): void {
    this.#assertOpen();
    if (this.transport !== undefined || this.#binding !== undefined) {
      throw errnoError("EOPNOTSUPP", { reason: `the socket uses ${this.transport ?? "a transport"} already` });
    }
    this.#context.transportNamed(name);
    this.#transport = name;
  }

  /**
   * Binds the socket, once: to `ADDRESS:PORT` or the like, or to an address in text and a port apart. Port 0, or none, takes a free one. Rejects with `VERBENA_RDS_EINVAL` for what is no end of a socket (no address of
   * one host, port 1, bound before), `VERBENA_RDS_EADDRNOTAVAIL` when no transport serves the address, `VERBENA_RDS_ENOPROTOOPT` when the one
   * that {@link useTransport} named does not, or another has the address open, `VERBENA_RDS_EADDRINUSE` when another socket has the port.
   */
  async bind(address: RdsAddressInput, port?: number): Promise<RdsAddress> {
    const isAlone = typeof address === "string" && (port !== undefined || IpAddress.tryParse(address) !== undefined);
    const local = bindableEnd(isAlone ? { address, port: port ?? 0 } : address);
    this.#assertOpen();
    if (this.#binding !== undefined) throw invalid("the socket is bound already");
    const remote = this.#remote;
    if (remote !== undefined && remote.scopeId !== 0 && local.scopeId !== 0 && remote.scopeId !== local.scopeId) {
      throw invalid(`the socket is connected by interface ${String(remote.scopeId)}`);
    }
    this.#binding = this.#bind(local);
    try {
      return await this.#binding;
    } catch (error) {
      this.#binding = undefined;
      throw error;
    }
  }

  /**
   * Sets the default destination. Sends nothing, may be repeated, filters nothing. Throws `VERBENA_RDS_EDESTADDRREQ` or
   * `VERBENA_RDS_EINVAL` for what is no address of one host.
   */
  connect(to: RdsAddressInput): void {
    this.#assertOpen();
    const remote = connectableEnd(to);
    const local = this.#local;
    if (local !== undefined && remote.scopeId !== 0 && local.scopeId !== 0 && remote.scopeId !== local.scopeId) {
      throw invalid(`the socket is bound by interface ${String(local.scopeId)}`);
    }
    this.#remote = remote;
    this.#sender.connected = remote;
    if (this.#backend !== undefined) this.#backend.connected = remote;
  }

  /**
   * Sends one message; waits for room in the send queue and for a congested destination. Gives the payload's length once the message is
   * queued: from then on it is the stack's to deliver. The bytes MUST NOT change before. Messages to one destination keep their order.
   *
   * Rejects with `VERBENA_RDS_ENOTCONN` (not bound, or no destination), `VERBENA_RDS_EINVAL` (destination, control), `VERBENA_RDS_EOPNOTSUPP`
   * (destination of the other address family), `VERBENA_RDS_EMSGSIZE`, `VERBENA_RDS_ETIMEDOUT`, `VERBENA_RDS_ABORTED`, `VERBENA_RDS_CLOSED`.
   */
  send(data: RdsPayload, options: RdsSendOptions = {}): Promise<number> {
    return this.#sender.send(data, options);
  }

  /** As {@link send}, of a message in parts. */
  sendv(parts: readonly RdsPayload[], options: RdsSendOptions = {}): Promise<number> {
    return this.#sender.send(parts, options);
  }

  /** As {@link send}, but throws `VERBENA_RDS_EAGAIN` or `VERBENA_RDS_ENOBUFS` at once where that would wait. The bytes are free on return. */
  trySend(data: RdsPayload, options: Omit<RdsSendOptions, keyof WaitOptions> = {}): number {
    return this.#sender.trySend(data, options);
  }

  /** As {@link trySend}, of a message in parts. */
  trySendv(parts: readonly RdsPayload[], options: Omit<RdsSendOptions, keyof WaitOptions> = {}): number {
    return this.#sender.trySend(parts, options);
  }

  /**
   * The next message, or, with {@link monitorCongestion}, a congestion update. Any number of calls may wait; each gets another message. On a
   * socket that is not bound they wait until it is. Rejects with `VERBENA_RDS_ETIMEDOUT`, `VERBENA_RDS_ABORTED`, `VERBENA_RDS_CLOSED`.
   */
  receive(options: RdsReceiveOptions = {}): Promise<ReceivedItem> {
    return this.#receiver.receive(options);
  }

  /** As {@link receive}, but gives `undefined` where that would wait. */
  tryReceive(options: Omit<RdsReceiveOptions, keyof WaitOptions> = {}): ReceivedItem | undefined {
    this.#assertOpen();
    return this.#receiver.tryReceive(options);
  }

  /** The next message, left where it is. */
  peek(options: Omit<RdsReceiveOptions, "peek"> = {}): Promise<ReceivedItem> {
    return this.#receiver.receive({ ...options, peek: true });
  }

  /** Bytes of the next message; `undefined` when there is none. Takes a congestion update that stands in front, so ask for those first. */
  nextSize(): number | undefined {
    const item = this.tryReceive({ maxLength: 0, peek: true });
    return item?.type === "message" ? item.length : undefined;
  }

  /** Messages as they come, until the socket is closed. */
  async *[Symbol.asyncIterator](): AsyncGenerator<ReceivedItem, void, undefined> {
    while (this.#closing === undefined) {
      const item = this.#receiver.tryReceive({}) ?? (await this.#receiver.receiveOrEnd());
      if (item === undefined) return;
      yield item;
    }
  }

  /** What the socket is ready for now. */
  get readiness(): RdsReadiness {
    return this.#readiness.now;
  }

  /**
   * Waits until the socket is ready for one of these, and tells for which. An ENOBUFS makes it not `uncongested` until a congestion map has
   * changed; that a retry succeeds is not promised.
   */
  poll(wanted: readonly (keyof RdsReadiness)[], options: WaitOptions = {}): Promise<RdsReadiness> {
    return this.#readiness.wait(wanted, options);
  }

  /** Waits until something is there to receive. */
  async readable(options: WaitOptions = {}): Promise<void> {
    await this.poll(["readable"], options);
  }

  /** Waits until the send queue has room. */
  async writable(options: WaitOptions = {}): Promise<void> {
    await this.poll(["writable"], options);
  }

  /** Waits, after a send gave ENOBUFS, until a congestion map has changed. */
  async uncongested(options: WaitOptions = {}): Promise<void> {
    await this.poll(["uncongested"], options);
  }

  /**
   * Takes back what this socket has sent and the peer has not acknowledged: to one destination, or all. What is on the wire may still arrive.
   * Throws `VERBENA_RDS_ENOTCONN` when the socket is not bound.
   */
  cancel(to?: RdsAddressInput): void {
    this.#assertOpen();
    if (this.#backend === undefined) throw errnoError("ENOTCONN", { reason: "the socket is not bound" });
    this.#backend.cancel(to === undefined ? undefined : connectableEnd(to));
  }

  /**
   * Asks for congestion updates, which {@link receive} gives ahead of data. A mask, made of {@link congestionMask}: ports that become free. `true`:
   * those that refused a send of this socket. `false`: none any more.
   */
  monitorCongestion(mask: bigint | boolean): void {
    this.#assertOpen();
    if (typeof mask !== "bigint" && typeof mask !== "boolean") {
      throw invalid(`a mask of ports is a bigint or a boolean, not ${String(mask)}`);
    }
    this.#settings.monitor(mask === true ? "refused" : mask === false ? undefined : mask);
  }

  /** The mask of ports that are monitored; `undefined` when none are. */
  get monitoredPorts(): bigint | undefined {
    return this.#settings.monitoredPorts;
  }

  /** Payload bytes: a message is queued as long as fewer are queued and not acknowledged; none may be longer. At least 2304. */
  get sendBufferSize(): number {
    return this.#settings.sendBufferSize;
  }

  set sendBufferSize(bytes: number) {
    this.#settings.sendBufferSize = bytes;
  }

  /**
   * Payload bytes: when more wait to be received, the port is congested, and senders are told to hold back. So it is in user space when twice as many bytes, and
   * more than 16 MiB, wait with 256 counted beside the payload of each message: 65,536 empty ones at the least. At least 1152.
   */
  get receiveBufferSize(): number {
    return this.#settings.receiveBufferSize;
  }

  set receiveBufferSize(bytes: number) {
    this.#settings.receiveBufferSize = bytes;
  }

  /** How long a send waits for room, milliseconds; 0: for ever. */
  get sendTimeoutMs(): number {
    return this.#settings.sendTimeoutMs;
  }

  set sendTimeoutMs(milliseconds: number) {
    this.#settings.sendTimeoutMs = milliseconds;
  }

  /** How long a receive waits, milliseconds; 0: for ever. */
  get receiveTimeoutMs(): number {
    return this.#settings.receiveTimeoutMs;
  }

  set receiveTimeoutMs(milliseconds: number) {
    this.#settings.receiveTimeoutMs = milliseconds;
  }

  /** Whether received messages carry the time at which they were queued. */
  get timestamps(): boolean {
    return this.#settings.timestamps;
  }

  set timestamps(wanted: boolean) {
    this.#settings.timestamps = wanted;
  }

  /** A list of the transport that serves the socket. Rejects with `VERBENA_RDS_ENOTCONN` when the socket is not bound. */
  async info<List extends keyof TransportInfoLists>(list: List): Promise<TransportInfoLists[List]> {
    this.#assertOpen();
    checkList(list);
    if (this.#backend === undefined) throw errnoError("ENOTCONN", { reason: "the socket is not bound" });
    return this.#backend.info(list);
  }

  /**
   * Waits until everything sent has been acknowledged or cancelled. Rejects with `VERBENA_RDS_ATTACH_LOST`, once, when the stack that the socket is
   * attached to has ended with messages of which nobody knows whether they have arrived.
   */
  async drain(options: WaitOptions = {}): Promise<void> {
    await this.#sender.drain(options);
  }

  /**
   * Closes the socket; idempotent. What waits is rejected with `VERBENA_RDS_CLOSED`, what is not acknowledged is cancelled ({@link drain} before
   * it, to be sure), what is unread is forgotten, the port is free at once.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close(rdsError("VERBENA_RDS_CLOSED", { details: { what: "socket" } }));
    return this.#closing;
  }

  /** As {@link close}, without waiting; what waits is rejected with `reason`. */
  destroy(reason?: Error): void {
    this.#closing ??= this.#close(reason ?? rdsError("VERBENA_RDS_CLOSED", { details: { what: "socket" } }));
    this.#closing.catch(() => undefined);
  }

  /** As {@link close}. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #bind(local: RdsAddress): Promise<RdsAddress> {
    const transport = this.#context.transportFor(local, this.#transport);
    if (local.port === 1) throw invalid("port 1 belongs to the protocol itself");
    const backend = this.#context.open(transport, this.#events(), this.#transport !== undefined);
    this.#opening = backend;
    try {
      this.#settings.apply(backend);
      const bound = await backend.bind(local);
      this.#assertOpen();
      this.#local = bound;
      this.#backend = backend;
      if (this.#remote !== undefined) backend.connected = this.#remote;
      this.#sender.bound(backend, bound);
      this.#receiver.bound(backend);
      this.#readiness.bound(backend);
      return bound;
    } catch (error) {
      this.#settings.detach();
      await backend.close();
      throw error;
    }
  }

  #events(): SocketEvents {
    return {
      readable: () => {
        this.#receiver.wake();
        this.#readiness.wake();
      },
      writable: () => {
        this.#sender.wake();
        this.#readiness.wake();
      },
      uncongested: () => {
        this.#readiness.isRefused = false;
        this.#sender.wakeUncongested();
        this.#readiness.wake();
      },
    };
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw rdsError("VERBENA_RDS_CLOSED", { details: { what: "socket" } });
  }

  async #close(reason: Error): Promise<void> {
    this.#sender.close(reason);
    this.#receiver.close(reason);
    this.#readiness.close(reason);
    await (this.#backend ?? this.#opening)?.close();
    // Only now: the close of the stack waits for those under way.
    this.#context.forget(this);
  }
}
