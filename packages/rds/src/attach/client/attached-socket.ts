import type {
  ControlMessage,
  DatagramAddress,
  DatagramErrno,
  DatagramReceiveRequest,
  ReceivedItem,
  ReceivedMessage,
  SocketEvents,
  TransportInfoLists,
} from "@verbena/core/sdk";
import { CongestionMonitor } from "../../engine/congestion-monitor.js";
import { payloadLength } from "../../engine/outgoing-message.js";
import { requestedData } from "../../engine/waiting-message.js";
import { rdsError } from "../../errors.js";
import type { LossyBackend } from "../../socket/lossy-backend.js";
import { BackOff } from "../../tcp/back-off.js";
import { type AttachSettings, clientFrame, dataFrame } from "../protocol/client-frames.js";
import { malformed } from "../protocol/malformed.js";
import { AttachConnection, type Bound, type NewsFrame } from "./attach-connection.js";
import type { AttachContext } from "./attach-context.js";
import { AttachedLimits } from "./attached-limits.js";
import { Inbox } from "./inbox.js";
import { InfoRequests } from "./info-requests.js";
import { KnownDestinations } from "./known-destinations.js";

/** The bound of the wait before the second try to attach again, milliseconds; it doubles up to a second. */
const RETRY_MS = 10;

/** A connection that is bound, and what holds as long as it does. */
interface Attachment {
  readonly connection: AttachConnection;
  readonly bound: Bound;
  readonly destinations: KnownDestinations;
}

/**
 * A socket of a stack in another process. It answers what does not wait by what it knows: how much of what it has sent is released, and which of its
 * destinations are congested; the stack tells of both as they change.
 */
export class AttachedSocket implements LossyBackend {
  readonly controlTypes: readonly ControlMessage["type"][] = [];
  readonly limits: AttachedLimits;
  readonly #context: AttachContext;
  readonly #events: SocketEvents;
  readonly #monitor = new CongestionMonitor();
  readonly #inbox = new Inbox();
  readonly #requests: InfoRequests;
  readonly #backOff: BackOff;
  #attachment: Attachment | undefined;
  /** One that is not bound yet. */
  #connecting: AttachConnection | undefined;
  #local: DatagramAddress | undefined;
  #bound: Bound | undefined;
  #timestamps = false;
  #connected: DatagramAddress | undefined;
  #monitors = false;
  #bytes = 0;
  #messages = 0;
  #lost = 0;
  #wasRefused = false;
  #stopRetry: (() => void) | undefined;
  #closing: Promise<void> | undefined;

  constructor(context: AttachContext, events: SocketEvents) {
    this.#context = context;
    this.#events = events;
    this.#requests = new InfoRequests(context.path);
    this.#backOff = new BackOff(RETRY_MS, context.random);
    this.limits = new AttachedLimits((isRaised) => {
      this.#tellSettings();
      if (isRaised && this.isWritable) events.writable();
    });
  }

  /** As the stack names it, once bound. */
  get transport(): string {
    return this.#bound?.transport ?? "attach";
  }

  get maxMessageSize(): number {
    return this.#bound?.limits.maxMessageSize ?? 0;
  }

  bind(local: DatagramAddress): Promise<DatagramAddress> {
    return this.#attach(local);
  }

  trySend(
    to: DatagramAddress,
    payload: Uint8Array | readonly Uint8Array[],
    control?: readonly ControlMessage[],
  ): DatagramErrno | undefined {
    if (this.#bound === undefined) return "ENOTCONN";
    const length = payloadLength(payload);
    if (length > this.maxMessageSize || length > this.limits.sendBufferSize) return "EMSGSIZE";
    if (control !== undefined && control.length > 0) return "EINVAL";
    const attachment = this.#attachment;
    if (attachment === undefined) return "EAGAIN";
    const destination = attachment.destinations.of(to);
    if (destination.state === "no-room") return "ENOMEM";
    if (destination.state === "congested") {
      this.#wasRefused = true;
      this.#monitor.refused(to.port);
      return "ENOBUFS";
    }
    const { emptyNeedsRoom, maxMessages } = attachment.bound.limits;
    const needsRoom = length > 0 || emptyNeedsRoom;
    if ((needsRoom && this.#bytes >= this.limits.sendBufferSize) || this.#messages >= maxMessages) return "EAGAIN";
    this.#bytes += length;
    this.#messages += 1;
    attachment.connection.send(dataFrame(destination.handle, payload));
    return undefined;
  }

  tryReceive(request: DatagramReceiveRequest = {}): ReceivedItem | undefined {
    if (this.#monitor.hasPending) return this.#monitor.take();
    const next = request.peek === true ? this.#inbox.peek() : this.#shift();
    return next === undefined ? undefined : { ...next, data: requestedData(next.data, request) };
  }

  get isReadable(): boolean {
    return this.#inbox.length > 0 || this.#monitor.hasPending;
  }

  get isWritable(): boolean {
    return this.#hasRoom();
  }

  get pendingMessages(): number {
    return this.#messages;
  }

  takeLoss(): Error | undefined {
    const messages = this.#lost;
    this.#lost = 0;
    return messages === 0 ? undefined : lost(messages);
  }

  get connected(): DatagramAddress | undefined {
    return this.#connected;
  }

  set connected(to: DatagramAddress | undefined) {
    this.#connected = to;
    this.#tellSettings();
  }

  get timestamps(): boolean {
    return this.#timestamps;
  }

  set timestamps(wanted: boolean) {
    this.#timestamps = wanted;
    this.#tellSettings();
  }

  cancel(to?: DatagramAddress): void {
    this.#attachment?.connection.send(clientFrame.cancel(to));
  }

  monitorCongestion(mask: bigint | "refused" | undefined): void {
    this.#monitor.set(mask);
    const monitors = mask !== undefined;
    if (monitors === this.#monitors) return;
    this.#monitors = monitors;
    this.#tellSettings();
  }

  get monitoredPorts(): bigint | undefined {
    return this.#monitor.mask;
  }

  info<List extends keyof TransportInfoLists>(list: List): Promise<TransportInfoLists[List]> {
    const attachment = this.#attachment;
    if (attachment === undefined) return Promise.reject(detached(this.#context.path));
    return this.#requests.ask<List>((request) => {
      attachment.connection.send(clientFrame.info(request, list));
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#stopRetry?.();
    const connection = this.#attachment?.connection ?? this.#connecting;
    this.#attachment = undefined;
    this.#connecting = undefined;
    this.#inbox.clear();
    this.#requests.failAll(closed());
    await connection?.close();
  }

  async #attach(local: DatagramAddress): Promise<DatagramAddress> {
    if (this.#closing !== undefined) throw closed();
    this.#connecting = new AttachConnection(this.#context, {
      settings: ({ maxBufferSize }) => {
        this.limits.cap(maxBufferSize);
        return this.#settings;
      },
      bound: (connection, bound) => {
        this.#attached(connection, bound);
      },
      news: (frame, connection) => {
        this.#news(frame, connection);
      },
      lost: (error) => {
        this.#detached(error);
      },
    });
    return await this.#connecting.bind(local);
  }

  #attached(connection: AttachConnection, bound: Bound): void {
    const destinations = new KnownDestinations(bound.limits.maxDestinations, {
      add: (handle, to) => {
        connection.send(clientFrame.destination(handle, to));
      },
      forget: (handle) => {
        connection.send(clientFrame.forget(handle));
      },
    });
    this.#connecting = undefined;
    this.#local = bound.local;
    this.#bound = bound;
    this.#attachment = { connection, bound, destinations };
    this.#backOff.reset();
    // Something may have been set since the stack was told.
    this.#tellSettings();
    this.#context.onEvent({ type: "attached", local: bound.local });
    this.#events.writable();
    this.#uncongested();
  }

  /** The stack has gone. What it had not released is not sent again: it may have arrived. */
  #detached(error: Error): void {
    const messages = this.#messages;
    const local = this.#local;
    this.#attachment = undefined;
    this.#bytes = 0;
    this.#messages = 0;
    this.#lost += messages;
    this.#requests.failAll(detached(this.#context.path, error));
    if (local === undefined || this.#closing !== undefined) return;
    this.#context.logger.warn("the RDS stack has gone; its socket is attached again when it is back", {
      local,
      messages,
      error,
    });
    this.#context.onEvent({ type: "detached", local, error });
    if (messages > 0) this.#context.onEvent({ type: "lost", local, messages, error: lost(messages) });
    this.#retryLater(local);
    this.#events.writable();
  }

  #retryLater(local: DatagramAddress): void {
    const letGo = this.#context.keepAlive();
    const stop = this.#context.clock.schedule(this.#backOff.next(), () => {
      this.#attach(local)
        .catch((cause: unknown) => {
          if (this.#closing !== undefined) return;
          const error = cause instanceof Error ? cause : new Error(String(cause));
          this.#context.logger.debug("the RDS stack cannot be attached to", { local, error });
          this.#context.onEvent({ type: "detached", local, error });
          this.#retryLater(local);
        })
        .finally(letGo);
    });
    this.#stopRetry = () => {
      stop();
      letGo();
    };
  }

  #news(frame: NewsFrame, connection: AttachConnection): void {
    switch (frame.type) {
      case "message":
        this.#inbox.push(frame.message, connection);
        return this.#events.readable();
      case "released":
        return this.#released(frame.messages, frame.bytes);
      case "state": {
        const destination = this.#attachment?.destinations.get(frame.handle);
        // One that is forgotten meanwhile is no news.
        if (destination === undefined) return;
        destination.state = frame.state;
        if (frame.state === "free") this.#uncongested();
        return;
      }
      case "freed":
        if (this.#monitor.freed(frame.ports)) this.#events.readable();
        return;
      case "info":
        return this.#requests.part(frame.request, frame.isLast, frame.bytes);
      default:
        frame satisfies never;
    }
  }

  #released(messages: number, bytes: number): void {
    if (messages > this.#messages || bytes > this.#bytes) {
      throw malformed("a release", `${String(messages)} messages of ${String(this.#messages)}`);
    }
    const hadRoom = this.#hasRoom();
    this.#messages -= messages;
    this.#bytes -= bytes;
    if ((!hadRoom && this.#hasRoom()) || this.#messages === 0) this.#events.writable();
  }

  #hasRoom(): boolean {
    const { limits } = this.#attachment?.bound ?? {};
    return limits !== undefined && this.#bytes < this.limits.sendBufferSize && this.#messages < limits.maxMessages;
  }

  #uncongested(): void {
    if (!this.#wasRefused) return;
    this.#wasRefused = false;
    this.#events.uncongested();
  }

  /** The next message; the stack hears that the program has it, if it is still the one that sent it. */
  #shift(): ReceivedMessage | undefined {
    const next = this.#inbox.shift();
    const current = this.#attachment?.connection;
    if (next !== undefined && next.connection === current) current.send(clientFrame.read(1));
    return next?.message;
  }

  get #settings(): AttachSettings {
    const { sendBufferSize, receiveBufferSize } = this.limits;
    return {
      sendBufferSize,
      receiveBufferSize,
      timestamps: this.#timestamps,
      monitors: this.#monitors,
      connected: this.#connected,
    };
  }

  #tellSettings(): void {
    this.#attachment?.connection.send(clientFrame.settings(this.#settings));
  }
}

const closed = (): Error => rdsError("VERBENA_RDS_CLOSED", { details: { what: "socket" } });
const detached = (path: string, cause?: unknown): Error =>
  rdsError("VERBENA_RDS_ATTACH_DETACHED", { details: { path }, cause });
const lost = (messages: number): Error => rdsError("VERBENA_RDS_ATTACH_LOST", { details: { messages } });
