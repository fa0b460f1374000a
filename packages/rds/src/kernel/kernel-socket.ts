import { constants } from "node:os";
import type {
  Clock,
  ControlMessage,
  DatagramAddress,
  DatagramErrno,
  DatagramReceiveRequest,
  KernelRdsAddress,
  KernelRdsMessage,
  KernelRdsReadiness,
  KernelRdsSocket,
  QueuedMessageInfo,
  ReceivedItem,
  SocketBackend,
  SocketEvents,
  SocketLimits,
  TransportInfoLists,
} from "@verbena/core/sdk";
import { requestedData } from "../engine/waiting-message.js";
import { CongestionMonitor } from "./congestion-monitor.js";
import { congestionMask, decodeControl, encodeControl } from "./control.js";
import { kernelError, sendErrno } from "./failures.js";
import { hostInt, readHostInt } from "./host-order.js";
import { kernelList } from "./info-lists.js";
import { KernelLimits } from "./kernel-limits.js";
import { LEVEL, OPTION, TRANSPORT_NAMES } from "./numbers.js";

const { EAGAIN } = constants.errno;
/** Messages longer than this are for other transports. */
const MAX_MESSAGE_SIZE = 1 << 20;
/** Room for a status, a congestion mask and a timestamp. */
const CONTROL_SIZE = 112;
/** The kernel's wake-ups can be lost when it is busy: how long a refused message waits for one. */
const REPOLL_MS = 1000;
/** The kernel does not say when the last message is acknowledged: how often its queues are looked at while somebody waits for it. */
const PENDING_POLL_MS = 20;

/** How a socket of the kernel is made. */
export interface KernelSocketOptions {
  readonly clock: Clock;
  /** Buffer sizes beyond the system's limits, which needs CAP_NET_ADMIN. */
  readonly forceBuffers: boolean;
}

/**
 * A `SocketBackend` over an AF_RDS socket. The kernel's congestion monitoring is always on, for without it nothing that epoll sees happens
 * when a port is free again. While it waits for something, the process is kept alive.
 */
export class KernelSocket implements SocketBackend {
  readonly maxMessageSize = MAX_MESSAGE_SIZE;
  readonly controlTypes: readonly ControlMessage["type"][] = ["unknown"];
  readonly limits: SocketLimits;
  readonly #monitor = new CongestionMonitor();
  readonly #clock: Clock;
  #bound: DatagramAddress | undefined;
  #connected: DatagramAddress | undefined;
  #wantsReadable = false;
  #wantsWritable = false;
  #hasTimestamps = false;
  #stopRepolling: (() => void) | undefined;
  #stopPendingPoll: (() => void) | undefined;
  #isClosed = false;

  constructor(
    private readonly socket: KernelRdsSocket,
    private readonly events: SocketEvents,
    { clock, forceBuffers }: KernelSocketOptions,
  ) {
    this.#clock = clock;
    this.limits = new KernelLimits(socket, forceBuffers);
    socket.setOption(LEVEL.rds, OPTION.congestionMonitor, hostInt(1));
    socket.onReady(
      (what) => {
        this.#onReady(what);
      },
      () => {
        // The descriptor is broken; the next operation says how.
        events.readable();
        events.writable();
      },
    );
  }

  get transport(): string {
    const number = readHostInt(this.socket.getOption(LEVEL.rds, OPTION.transport, 4), 0);
    return TRANSPORT_NAMES.get(number) ?? String(number);
  }

  bind(local: DatagramAddress): Promise<DatagramAddress> {
    try {
      this.socket.bind(local);
      this.#bound = withScope(this.socket.localAddress() ?? local);
      this.#want({ readable: true });
      return Promise.resolve(this.#bound);
    } catch (cause) {
      return Promise.reject(
        kernelError(cause, `cannot bind ${local.address}:${local.port}`, { address: local.address }),
      );
    }
  }

  trySend(
    to: DatagramAddress,
    payload: Uint8Array | readonly Uint8Array[],
    control?: readonly ControlMessage[],
  ): DatagramErrno | undefined {
    const encoded = control === undefined ? undefined : encodeControl(control);
    if (control !== undefined && encoded === undefined) return "EINVAL";
    const result = this.socket.send(payload, to, encoded);
    if (result >= 0) return undefined;
    const errno = sendErrno(-result);
    if (errno === "EAGAIN") this.#want({ writable: true });
    if (errno === "ENOBUFS") {
      this.#monitor.refused(to);
      this.#watch();
    }
    return errno;
  }

  tryReceive(request: DatagramReceiveRequest = {}): ReceivedItem | undefined {
    for (;;) {
      if (this.#monitor.hasPending) return { type: "congestion", ports: this.#monitor.takePending() };
      const { maxLength = MAX_MESSAGE_SIZE, peek = false, into } = request;
      const message = this.#receive(Math.min(maxLength, into?.length ?? MAX_MESSAGE_SIZE, MAX_MESSAGE_SIZE), peek);
      if (message === undefined) {
        this.#want({ readable: true });
        return undefined;
      }
      const { source, length, control } = message;
      if (source !== undefined) {
        const data = requestedData(message.data, request);
        return { type: "message", data, length, source: withScope(source), control: control.map(decodeControl) };
      }
    }
  }

  get isReadable(): boolean {
    const isReadable = this.#monitor.hasPending || (this.socket.ready().readable && this.#hasItem());
    if (!isReadable) this.#want({ readable: true });
    return isReadable;
  }

  get isWritable(): boolean {
    const isWritable = this.socket.ready().writable;
    if (!isWritable) this.#want({ writable: true });
    return isWritable;
  }

  /** Whoever has asked and got more than 0 is told when to ask again. */
  get pendingMessages(): number {
    const { length } = this.#queued();
    if (length > 0 && !this.#isClosed) {
      // A watched descriptor keeps the process alive, which a timer does not.
      this.#want({ readable: true });
      this.#stopPendingPoll ??= this.#clock.schedule(PENDING_POLL_MS, () => {
        this.#stopPendingPoll = undefined;
        this.events.writable();
      });
    }
    return length;
  }

  get connected(): DatagramAddress | undefined {
    return this.#connected;
  }

  /** The kernel knows it too, for its list of sockets; it cannot forget it. */
  set connected(to: DatagramAddress | undefined) {
    try {
      if (to !== undefined) this.socket.connect(to);
    } catch (cause) {
      throw kernelError(cause, `cannot connect to ${to?.address}:${to?.port}`, { address: to?.address });
    }
    this.#connected = to;
  }

  cancel(to?: DatagramAddress): void {
    for (const one of to === undefined ? this.#destinations() : [to]) {
      try {
        this.socket.cancel(one);
      } catch (cause) {
        throw kernelError(cause, `cannot cancel messages to ${one.address}:${one.port}`);
      }
    }
  }

  monitorCongestion(mask: bigint | "refused" | undefined): void {
    this.#monitor.set(mask);
    this.#setControlSize();
  }

  get monitoredPorts(): bigint | undefined {
    return this.#monitor.mask;
  }

  get timestamps(): boolean {
    return this.#hasTimestamps;
  }

  set timestamps(isOn: boolean) {
    this.socket.setOption(LEVEL.socket, OPTION.timestamp, hostInt(isOn ? 1 : 0));
    this.#hasTimestamps = isOn;
    this.#setControlSize();
  }

  info<List extends keyof TransportInfoLists>(list: List): Promise<TransportInfoLists[List]> {
    return new Promise((resolve) => {
      resolve(kernelList(this.socket, list));
    });
  }

  close(): Promise<void> {
    this.#isClosed = true;
    this.#stopRepolling?.();
    this.#stopPendingPoll?.();
    this.socket.close();
    return Promise.resolve();
  }

  /** The next message, after what the kernel has to tell about congestion. Notifications of other kinds are taken and dropped. */
  #receive(limit: number, peek: boolean): KernelRdsMessage | undefined {
    const message = this.socket.receive({ limit, peek });
    if (typeof message === "number") {
      if (message === -EAGAIN) return undefined;
      throw kernelError({ errno: -message }, "cannot receive");
    }
    if (message.source === undefined) this.#tell(message);
    return message;
  }

  #tell({ control }: KernelRdsMessage): void {
    this.#monitor.told(congestionMask(control));
    this.#watch();
    // Never from within a call of the holder's own.
    queueMicrotask(() => {
      if (!this.#isClosed) this.events.uncongested();
    });
  }

  /** Whether there is something for the holder, after all that is not has been taken away. */
  #hasItem(): boolean {
    for (;;) {
      if (this.#monitor.hasPending) return true;
      const message = this.#receive(0, true);
      if (message === undefined || message.source !== undefined) return message !== undefined;
    }
  }

  #onReady({ readable, writable, failed }: KernelRdsReadiness): void {
    if ((readable || failed) && this.#hasItem() && this.#wantsReadable) {
      this.#wantsReadable = false;
      this.events.readable();
    }
    if ((writable || failed) && this.#wantsWritable) {
      this.#wantsWritable = false;
      this.events.writable();
    }
    this.#watch();
  }

  #want({ readable = this.#wantsReadable, writable = this.#wantsWritable }): void {
    this.#wantsReadable = readable;
    this.#wantsWritable = writable;
    this.#watch();
  }

  #watch(): void {
    if (this.#isClosed) return;
    const { isWaiting } = this.#monitor;
    this.socket.watch({ readable: this.#wantsReadable || isWaiting, writable: this.#wantsWritable });
    if (!isWaiting) {
      this.#stopRepolling?.();
      this.#stopRepolling = undefined;
    }
    if (isWaiting) this.#stopRepolling ??= this.#clock.schedule(REPOLL_MS, () => this.#repoll());
  }

  /** Takes what the kernel has to tell without having said so, and has refused messages tried again. */
  #repoll(): void {
    this.#stopRepolling = undefined;
    this.#onReady({ readable: true, writable: false, failed: false });
    this.events.uncongested();
  }

  #setControlSize(): void {
    const isNeeded = this.#hasTimestamps || this.#monitor.mask !== undefined;
    this.socket.setControlSize(isNeeded ? CONTROL_SIZE : 0);
  }

  /** Messages of this socket that wait to be sent or acknowledged; the kernel lists those of all sockets. */
  #queued(): readonly QueuedMessageInfo[] {
    const queued = [...kernelList(this.socket, "sendQueue"), ...kernelList(this.socket, "retransmitQueue")];
    return queued.filter(({ local }) => local.port === this.#bound?.port && local.address === this.#bound.address);
  }

  /** Where messages of this socket are still on their way. */
  #destinations(): readonly DatagramAddress[] {
    return [...new Map(this.#queued().map(({ remote }) => [`${remote.address} ${remote.port}`, remote])).values()];
  }
}

const withScope = ({ address, port, scopeId = 0 }: KernelRdsAddress): DatagramAddress => ({ address, port, scopeId });
