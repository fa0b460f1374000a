import type { Clock, DatagramAddress, DatagramErrno, TransportAddress } from "@verbena/core/sdk";
import { IpAddress } from "@verbena/ib";
import { ALL_PORTS } from "../../engine/congestion-monitor.js";
import { destinationEnd } from "../../socket/ends.js";
import type { AttachLink } from "../link/attach-link.js";
import type { AttachSettings, ClientFrame } from "../protocol/client-frames.js";
import { infoText } from "../protocol/info-text.js";
import { MAX_INFO_PART } from "../protocol/layout.js";
import { malformed } from "../protocol/malformed.js";
import { type AttachLimits, serverFrame } from "../protocol/server-frames.js";
import { Destinations } from "./destinations.js";
import { HeldMessages } from "./held-messages.js";
import type { HostedEvents, HostedSocket } from "./hosted-socket.js";
import { PushedMessages } from "./pushed-messages.js";
import type { Speaker, Turn } from "./turn.js";

/** Lists that are asked for and not told yet, at most: each may be long. */
const MAX_QUESTIONS = 16;

/** Time between looks for room where there were too many peers, milliseconds: nothing tells when one may go. */
const ROOM_MS = 1_000;

/** Frames of a socket that is bound. */
type BoundFrame = Exclude<ClientFrame, { readonly type: "bind" }>;
type Question = Extract<BoundFrame, { readonly type: "info" }>;

/** The program behind a connection, and its socket: what it says is done, what happens is said to it. */
export class HostedProgram implements Speaker {
  readonly #link: AttachLink;
  readonly #limits: AttachLimits;
  readonly #turn: Turn;
  readonly #clock: Clock;
  readonly #maxBacklog: number;
  readonly #hosted: HostedSocket;
  readonly #destinations = new Destinations();
  readonly #held = new HeldMessages();
  readonly #pushed: PushedMessages;
  readonly #questions: Question[] = [];
  #local: DatagramAddress | undefined;
  #sendBufferSize = 0;
  /** Sent by the program and not released: messages and payload bytes. */
  #messages = 0;
  #bytes = 0;
  /** Released, and the program has not been told. */
  #releasedMessages = 0;
  #releasedBytes = 0;
  #mayRetry = false;
  /** Set while there were too many peers for some destination. */
  #stopLooking: (() => void) | undefined;
  #isClosed = false;

  constructor(
    link: AttachLink,
    { limits, turn, clock }: { readonly limits: AttachLimits; readonly turn: Turn; readonly clock: Clock },
    maxBacklog: number,
    open: (events: HostedEvents) => HostedSocket,
  ) {
    this.#link = link;
    this.#limits = limits;
    this.#turn = turn;
    this.#clock = clock;
    this.#maxBacklog = maxBacklog;
    const note = (): void => turn.note(this);
    const mayRetry = (): void => {
      this.#mayRetry = true;
      note();
    };
    this.#hosted = open({
      readable: note,
      writable: mayRetry,
      uncongested: mayRetry,
      released: (length) => {
        this.#release(length);
      },
    });
    this.#pushed = new PushedMessages(this.#hosted, link);
  }

  /** The end that the socket is bound to. */
  get local(): DatagramAddress | undefined {
    return this.#local;
  }

  get transport(): string {
    return this.#hosted.transport;
  }

  async bind(local: DatagramAddress): Promise<DatagramAddress> {
    const bound = await this.#hosted.bind(local);
    this.#local = bound;
    return bound;
  }

  /** Takes settings over. Throws `VERBENA_RDS_ATTACH_MALFORMED` for more than the stack allows. */
  set({ sendBufferSize, receiveBufferSize, timestamps, monitors, connected }: AttachSettings): void {
    const most = Math.max(sendBufferSize, receiveBufferSize);
    if (most > this.#limits.maxBufferSize) throw malformed("settings", `a buffer of ${String(most)} bytes`);
    this.#sendBufferSize = sendBufferSize;
    this.#hosted.limits.receiveBufferSize = receiveBufferSize;
    this.#limitSending();
    this.#hosted.timestamps = timestamps;
    // All of them: the process has its own mask.
    this.#hosted.monitorCongestion(monitors ? ALL_PORTS : undefined);
    this.#hosted.connected = connected;
  }

  /** Does what the program asks. Throws `VERBENA_RDS_ATTACH_MALFORMED` for what it must not ask. */
  take(frame: BoundFrame): void {
    this.#turn.note(this);
    switch (frame.type) {
      case "settings":
        return this.set(frame.settings);
      case "destination":
        return this.#add(frame.handle, frame.to);
      case "forget":
        return this.#destinations.delete(this.#destination(frame.handle));
      case "data":
        return this.#send(this.#destination(frame.handle).to, frame.payload);
      case "cancel":
        return this.#cancel(frame.to);
      case "read":
        return this.#pushed.read(frame.messages);
      case "info":
        return this.#ask(frame);
      default:
        return frame satisfies never;
    }
  }

  /** The congestion map of an address has changed. */
  mapChanged(address: TransportAddress): void {
    if (this.#destinations.doubt(address)) this.#turn.note(this);
  }

  flush(): void {
    if (this.#isClosed || this.#local === undefined) return;
    if (this.#mayRetry) this.#retry();
    if (this.#held.hasNoRoom) this.#lookForRoom();
    // What waits is said when there is room; all of it can be said in few words then.
    if (this.#link.backlog > this.#maxBacklog) return;
    for (const { handle, told } of this.#destinations.takeNews((to) => this.#hosted.stateOf(to))) {
      this.#link.send(serverFrame.state(handle, told));
    }
    if (this.#destinations.hasNoRoom) this.#lookForRoom();
    this.#sayReleased();
    const freed = this.#hosted.takeFreed();
    if (freed !== 0n) this.#link.send(serverFrame.freed(freed));
    this.#pushed.push();
    this.#answer();
  }

  close(): void {
    this.#isClosed = true;
    this.#stopLooking?.();
    void this.#hosted.close();
  }

  #add(handle: number, to: DatagramAddress): void {
    const { address, scopeId } = destinationOf(to);
    if (this.#destinations.get(handle) !== undefined) throw malformed("a destination", `number ${handle} twice`);
    if (this.#destinations.size >= this.#limits.maxDestinations) throw malformed("a destination", "one too many");
    const isOfFamily = this.#local !== undefined && IpAddress.family(this.#local.address) === IpAddress.family(address);
    if (!isOfFamily || scopeId !== to.scopeId || address !== to.address) {
      throw malformed("a destination", `the address ${to.address}`);
    }
    this.#destinations.add(handle, to);
  }

  #destination(handle: number) {
    const destination = this.#destinations.get(handle);
    if (destination === undefined) throw malformed("a destination", `the unknown number ${String(handle)}`);
    return destination;
  }

  /** The program has judged by the same limits, with what it knew of what is released: never less than there was room. */
  #send(to: DatagramAddress, payload: Buffer): void {
    const { length } = payload;
    const needsRoom = length > 0 || this.#limits.emptyNeedsRoom;
    const isTooMuch =
      length > this.#sendBufferSize ||
      (needsRoom && this.#bytes >= this.#sendBufferSize) ||
      this.#messages >= this.#limits.maxMessages;
    if (isTooMuch) throw malformed("a message", `${String(length)} bytes without room for them`);
    this.#messages += 1;
    this.#bytes += length;
    const isBehind = this.#held.has(to);
    const refusal = isBehind ? undefined : this.#offer(to, payload);
    if (isBehind || refusal !== undefined) this.#held.push(to, Buffer.from(payload), refusal);
  }

  /** The program is to know why a message is held. */
  #offer(to: DatagramAddress, payload: Buffer): DatagramErrno | undefined {
    const refusal = this.#hosted.offer(to, payload);
    if (refusal !== undefined) this.#destinations.doubt(to);
    return refusal;
  }

  #cancel(to: DatagramAddress | undefined): void {
    for (const length of this.#held.cancel(to)) this.#release(length);
    this.#hosted.cancel(to);
    this.#limitSending();
  }

  #retry(): void {
    this.#mayRetry = false;
    if (this.#held.isEmpty) return;
    this.#held.retry((to, payload) => this.#offer(to, payload));
    this.#limitSending();
  }

  #lookForRoom(): void {
    this.#stopLooking ??= this.#clock.schedule(ROOM_MS, () => {
      this.#stopLooking = undefined;
      // Asked once, for it takes a look at all peers.
      const hasRoom = this.#hosted.hasRoomForPeer;
      const isLikely = (to: DatagramAddress): boolean => hasRoom || this.#hosted.hasPeer(to);
      this.#destinations.doubtNoRoom(isLikely);
      this.#mayRetry ||= this.#held.someHaveRoom(isLikely);
      this.#turn.note(this);
    });
  }

  /** A smaller limit is for messages to come; those held were sent under the one before. */
  #limitSending(): void {
    const { limits } = this.#hosted;
    const size = this.#held.isEmpty ? this.#sendBufferSize : Math.max(this.#sendBufferSize, limits.sendBufferSize);
    if (size !== limits.sendBufferSize) limits.sendBufferSize = size;
  }

  #release(length: number): void {
    if (this.#isClosed) return;
    this.#messages -= 1;
    this.#bytes -= length;
    this.#releasedMessages += 1;
    this.#releasedBytes += length;
    this.#turn.note(this);
  }

  #sayReleased(): void {
    const [messages, bytes] = [this.#releasedMessages, this.#releasedBytes];
    if (messages === 0) return;
    this.#releasedMessages = 0;
    this.#releasedBytes = 0;
    this.#link.send(serverFrame.released(messages, bytes));
  }

  #ask(question: Question): void {
    if (this.#questions.length >= MAX_QUESTIONS) throw malformed("a question", "one before those before are answered");
    this.#questions.push(question);
  }

  /** Tells lists, as far as the program takes them. */
  #answer(): void {
    while (this.#questions.length > 0 && this.#link.backlog <= this.#maxBacklog) {
      const question = this.#questions.shift();
      if (question === undefined) return;
      const text = infoText(this.#hosted.list(question.list));
      for (let at = 0; at < text.length; at += MAX_INFO_PART) {
        const end = at + MAX_INFO_PART;
        this.#link.send(serverFrame.infoPart(question.request, end >= text.length, text.subarray(at, end)));
      }
    }
  }
}

/** An end in canonical form. Throws `VERBENA_RDS_ATTACH_MALFORMED` for what is no destination. */
function destinationOf(to: DatagramAddress): DatagramAddress {
  try {
    return destinationEnd(to);
  } catch (error) {
    throw malformed("a destination", error instanceof Error ? error.message : String(error));
  }
}
