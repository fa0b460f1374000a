import { HEADER_SIZE, MAGIC, PREAMBLE_SIZE } from "./layout.js";
import { malformed } from "./malformed.js";

/** Memory that a beginning is given at first, bytes. */
const FIRST_ROOM = 1024;

/** Gets what a {@link FrameReader} has put together. */
export interface FrameTaker {
  /** The preamble has come: the version that the other side speaks. */
  version(version: number): void;
  /** Bytes that the body of a type may have at most; `undefined` for a type that is not known. */
  limit(type: number): number | undefined;
  /** A whole frame. The body is the taker's own. */
  frame(type: number, body: Buffer): void;
}

/** Cuts a stream of bytes into a preamble and frames, however it comes in pieces. Memory grows with what has come, not with what a header promises. */
export class FrameReader {
  readonly #taker: FrameTaker;
  #hasPreamble = false;
  #isStopped = false;
  /** The beginning of something that has not come to its end. */
  #begun = Buffer.alloc(0);
  #length = 0;
  /** Bytes without which it is no use to look at the beginning again. */
  #needed = PREAMBLE_SIZE;

  constructor(taker: FrameTaker) {
    this.#taker = taker;
  }

  /** Takes nothing more, also of what it is being given. */
  stop(): void {
    this.#isStopped = true;
    this.#begun = Buffer.alloc(0);
  }

  /** Takes the next bytes, which are its own from then on. Throws `VERBENA_RDS_ATTACH_MALFORMED`: the stream is not to be read on. */
  push(bytes: Buffer): void {
    if (this.#isStopped) return;
    if (this.#length === 0) {
      this.#keep(bytes, this.#cut(bytes));
      return;
    }
    this.#append(bytes);
    if (this.#length < this.#needed) return;
    const whole = this.#begun.subarray(0, this.#length);
    this.#begun = Buffer.alloc(0);
    this.#length = 0;
    this.#keep(whole, this.#cut(whole));
  }

  /** Hands on what is whole; returns where the rest begins. */
  #cut(bytes: Buffer): number {
    let at = 0;
    for (;;) {
      this.#needed = this.#hasPreamble ? HEADER_SIZE : PREAMBLE_SIZE;
      if (this.#isStopped || bytes.length - at < this.#needed) return at;
      if (!this.#hasPreamble) {
        this.#preamble(bytes, at);
        at += PREAMBLE_SIZE;
        continue;
      }
      const type = bytes.readUInt8(at + 4);
      const length = this.#checkedLength(bytes, at, type);
      this.#needed = HEADER_SIZE + length;
      if (bytes.length - at < this.#needed) return at;
      const end = at + this.#needed;
      this.#taker.frame(type, bytes.subarray(at + HEADER_SIZE, end));
      at = end;
    }
  }

  #preamble(bytes: Buffer, at: number): void {
    this.#hasPreamble = true;
    if (!bytes.subarray(at, at + MAGIC.length).equals(MAGIC)) {
      throw malformed("a beginning", `${bytes.toString("hex", at, at + MAGIC.length)}, which is not this protocol`);
    }
    if (bytes.readUInt16BE(at + 6) !== 0) throw malformed("a beginning", "bytes that must be zero and are not");
    this.#taker.version(bytes.readUInt16BE(at + 4));
  }

  #checkedLength(bytes: Buffer, at: number, type: number): number {
    const length = bytes.readUInt32BE(at);
    const limit = this.#taker.limit(type);
    if (limit === undefined) throw malformed("a frame", `type ${String(type)}`);
    if (length > limit)
      throw malformed(`a frame of type ${String(type)}`, `${String(length)} bytes, at most ${String(limit)}`);
    if (bytes.readUIntBE(at + 5, 3) !== 0) throw malformed("a header", "bytes that must be zero and are not");
    return length;
  }

  #keep(bytes: Buffer, at: number): void {
    if (this.#isStopped || at === bytes.length) return;
    // A copy: what is kept must not hold all that came with it.
    this.#append(bytes.subarray(at));
  }

  #append(bytes: Buffer): void {
    const length = this.#length + bytes.length;
    if (length > this.#begun.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(FIRST_ROOM, length, Math.min(this.#needed, 2 * length)));
      this.#begun.copy(grown, 0, 0, this.#length);
      this.#begun = grown;
    }
    bytes.copy(this.#begun, this.#length);
    this.#length = length;
  }
}
