import type { DatagramAddress, ReceivedMessage } from "@verbena/core/sdk";
import { isSmallPart, movedOut } from "../memory/block-watch.js";
import type { Sequence } from "../wire/sequence.js";
import { Fifo } from "./fifo.js";

/** Counted beside the payload of each message that waits. */
export const ENTRY_BYTES = 256;

/** A message that waits to be received. */
export class WaitingMessage {
  #message: ReceivedMessage | undefined;
  #isSettled = false;

  constructor(
    message: ReceivedMessage,
    readonly sequence: Sequence,
  ) {
    this.#message = message;
  }

  /** `undefined` once it has been received. */
  get message(): ReceivedMessage | undefined {
    return this.#message;
  }

  /** Lets the block of memory go that the message came in, unless that is little more than the message. False if this was done before. */
  settle(): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    const message = this.#message;
    if (message !== undefined && isSmallPart(message.data))
      this.#message = { ...message, data: movedOut(message.data) };
    return true;
  }

  /** Gives the message, and lets it go. */
  take(): ReceivedMessage | undefined {
    const message = this.#message;
    this.#message = undefined;
    return message;
  }
}

/** Memory that a socket may hold without being congested, whatever its limit of payload bytes: the larger of a number of bytes and a multiple of the limit. */
const SHARE = { bytes: 16 << 20, limits: 2 };

/** What waits on a socket, in order of arrival, and whether that is too much. */
export class ReceiveQueue implements Iterable<WaitingMessage> {
  readonly #waiting = new Fifo<WaitingMessage>();
  #bytes = 0;
  #isFull = false;
  #isCrowded = false;

  get length(): number {
    return this.#waiting.length;
  }

  /** Too much waits, as was last judged. */
  get isCongested(): boolean {
    return this.#isFull || this.#isCrowded;
  }

  /** Bytes of memory, roughly. */
  get memory(): number {
    return this.#bytes + this.#waiting.length * ENTRY_BYTES;
  }

  /**
   * Judges anew. Payload bytes count, from more than `limit` on until less than `enough` is left. Very many short messages are too much by what is kept
   * beside their payload, too, though not before that is a share that no socket with messages of common sizes comes to, until half of it is left.
   */
  judge(limit: number, enough: number): void {
    const share = Math.max(SHARE.bytes, SHARE.limits * limit);
    this.#isFull = this.#isFull ? this.#bytes >= enough : this.#bytes > limit;
    this.#isCrowded = this.memory > (this.#isCrowded ? share / 2 : share);
  }

  push(entry: WaitingMessage): void {
    this.#waiting.push(entry);
    this.#bytes += entry.message?.length ?? 0;
  }

  peek(): ReceivedMessage | undefined {
    return this.#waiting.peek()?.message;
  }

  /** The message so far behind the first. */
  at(index: number): WaitingMessage | undefined {
    return this.#waiting.at(index);
  }

  shift(): ReceivedMessage | undefined {
    const message = this.#waiting.shift()?.take();
    if (message !== undefined) this.#bytes -= message.length;
    return message;
  }

  /** Lets go the blocks of memory that the messages came in. */
  settle(): void {
    for (const entry of this.#waiting.backwards()) if (!entry.settle()) return;
  }

  clear(): void {
    for (const entry of this.#waiting.drain()) entry.take();
    this.#bytes = 0;
  }

  [Symbol.iterator](): Iterator<WaitingMessage> {
    return this.#waiting[Symbol.iterator]();
  }
}

/** A message as its receiver gets it: the first `maxLength` bytes. */
export function cut(message: ReceivedMessage, maxLength: number | undefined): ReceivedMessage {
  if (maxLength === undefined || maxLength >= message.length) return message;
  return { ...message, data: message.data.subarray(0, maxLength) };
}

/** Makes a message as it waits. */
export function receivedMessage(
  data: Buffer,
  source: DatagramAddress,
  timestampNs: bigint | undefined,
): ReceivedMessage {
  return {
    type: "message",
    data,
    length: data.length,
    source,
    control: timestampNs === undefined ? NO_CONTROL : [{ type: "timestamp", ns: timestampNs }],
  };
}

const NO_CONTROL: ReceivedMessage["control"] = Object.freeze([]);
