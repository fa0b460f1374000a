import { Fifo } from "./fifo.js";
import type { WaitingMessage } from "./waiting-message.js";

/** Counted beside the payload of each message that waits. */
export const ENTRY_BYTES = 256;

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
    this.#bytes += entry.length;
  }

  /** The message so far behind the first. */
  at(index: number): WaitingMessage | undefined {
    return this.#waiting.at(index);
  }

  shift(): void {
    const entry = this.#waiting.shift();
    if (entry === undefined) return;
    this.#bytes -= entry.length;
    entry.drop();
  }

  /** Lets go the blocks of memory that the messages came in. */
  settle(): void {
    for (const entry of this.#waiting.backwards()) if (!entry.settle()) return;
  }

  clear(): void {
    for (const entry of this.#waiting.drain()) entry.drop();
    this.#bytes = 0;
  }

  [Symbol.iterator](): Iterator<WaitingMessage> {
    return this.#waiting[Symbol.iterator]();
  }
}
