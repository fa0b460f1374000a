import { rdsError } from "../errors.js";
import { CONGESTION_MAP_SIZE, isCongestionMap } from "./congestion-map.js";
import { HEADER_SIZE, HeaderOffset } from "./header-layout.js";
import { isSequenceZero } from "./sequence.js";

/** Gets each whole frame: its header at `at` of `header`, to be read at once, and its payload, which is the taker's own. */
export type FrameTaker = (header: Buffer, at: number, payload: Buffer) => void;

const EMPTY = Buffer.alloc(0);

/**
 * Cuts a stream of bytes into frames, however it comes in pieces. Allocates the payloads and nothing else; memory for a long one grows with
 * what has come of it, not with what its header promises.
 */
export class FrameParser {
  readonly #maxLength: number;
  readonly #take: FrameTaker;
  /** A header that has come in part; whole while its payload is on its way. */
  readonly #header = Buffer.alloc(HEADER_SIZE);
  #headerBytes = 0;
  /** A payload that has come in part. */
  #payload: Buffer | undefined;
  #payloadBytes = 0;
  #length = 0;

  constructor(
    maxLength: number,
    take: FrameTaker,
    /** Gives memory for payloads. */
    private readonly allocate: (length: number) => Buffer = (length) => Buffer.allocUnsafe(length),
  ) {
    this.#maxLength = maxLength;
    this.#take = take;
  }

  /** Bytes still to come of a header that has begun, 0 between frames. */
  get headerRemaining(): number {
    return this.#headerBytes === 0 || this.#headerBytes === HEADER_SIZE ? 0 : HEADER_SIZE - this.#headerBytes;
  }

  /** Bytes still to come of a payload whose header is there. */
  get dataRemaining(): number {
    return this.#payload === undefined ? 0 : this.#length - this.#payloadBytes;
  }

  /**
   * Takes the next bytes; gives on every frame they complete. They are not kept. Throws `VERBENA_RDS_MALFORMED` for a frame longer than the
   * limit, for a congestion map of another length than 8192 and for a message with the sequence number 0: the stream is not to be read on.
   */
  push(bytes: Buffer): void {
    let at = 0;
    if (this.#headerBytes > 0) at = this.#finish(bytes);
    // What is whole is copied at once, and cut afterwards: cheaper than a copy of each payload.
    let copy: Buffer | undefined;
    const from = at;
    while (bytes.length - at >= HEADER_SIZE) {
      const length = this.#checkedLength(bytes, at);
      const end = at + HEADER_SIZE + length;
      if (end > bytes.length) break;
      if (length === 0) {
        this.#take(bytes, at, EMPTY);
      } else {
        copy ??= this.#copied(bytes, from);
        this.#take(bytes, at, copy.subarray(at + HEADER_SIZE - from, end - from));
      }
      at = end;
    }
    if (at < bytes.length) this.#begin(bytes, at);
  }

  #copied(bytes: Buffer, from: number): Buffer {
    const copy = this.allocate(bytes.length - from);
    copy.set(from === 0 ? bytes : bytes.subarray(from));
    return copy;
  }

  /** Keeps the beginning of a frame whose end is not there. */
  #begin(bytes: Buffer, at: number): void {
    this.#headerBytes = bytes.copy(this.#header, 0, at, Math.min(bytes.length, at + HEADER_SIZE));
    if (this.#headerBytes < HEADER_SIZE) return;
    this.#length = this.#checkedLength(this.#header, 0);
    this.#collect(bytes, at + HEADER_SIZE);
  }

  /** Goes on with the frame that has begun; returns where the next one begins. */
  #finish(bytes: Buffer): number {
    let at = 0;
    if (this.#headerBytes < HEADER_SIZE) {
      at = bytes.copy(this.#header, this.#headerBytes, 0, HEADER_SIZE - this.#headerBytes);
      this.#headerBytes += at;
      if (this.#headerBytes < HEADER_SIZE) return at;
      this.#length = this.#checkedLength(this.#header, 0);
    }
    return this.#collect(bytes, at);
  }

  #collect(bytes: Buffer, at: number): number {
    const wanted = this.#length - this.#payloadBytes;
    const end = Math.min(bytes.length, at + wanted);
    if (this.#length > 0) {
      this.#payload = this.#room(this.#payloadBytes + end - at);
      bytes.copy(this.#payload, this.#payloadBytes, at, end);
      this.#payloadBytes += end - at;
    }
    if (this.#payloadBytes < this.#length) return end;
    const payload = this.#payload === undefined ? EMPTY : this.#payload.subarray(0, this.#length);
    this.#payload = undefined;
    this.#payloadBytes = 0;
    this.#headerBytes = 0;
    this.#take(this.#header, 0, payload);
    return end;
  }

  /** Memory for the payload: all of it up to a mebibyte, beyond that twice what is needed now. */
  #room(needed: number): Buffer {
    const old = this.#payload;
    if (old !== undefined && old.length >= needed) return old;
    const grown = this.allocate(Math.min(this.#length, Math.max(2 * needed, 1 << 20)));
    old?.copy(grown, 0, 0, this.#payloadBytes);
    return grown;
  }

  #checkedLength(header: Buffer, at: number): number {
    const length = header.readUInt32BE(at + HeaderOffset.length);
    if (isCongestionMap(header, at)) {
      if (length === CONGESTION_MAP_SIZE) return length;
      throw malformed("a congestion map", `${length} bytes instead of ${CONGESTION_MAP_SIZE}`);
    }
    if (length > this.#maxLength) throw malformed("a message", `${length} bytes, more than ${this.#maxLength}`);
    if (isSequenceZero(header, at + HeaderOffset.sequence)) throw malformed("a message", "sequence number 0");
    return length;
  }
}

const malformed = (what: string, problem: string): Error =>
  rdsError("VERBENA_RDS_MALFORMED", { details: { what, problem } });
