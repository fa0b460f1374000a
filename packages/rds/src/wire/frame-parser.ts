import type { PayloadMemory } from "@verbena/core/sdk";
import { rdsError } from "../errors.js";
import type { Block } from "../memory/block-pool.js";
import { ReadMemory } from "../memory/read-memory.js";
import { CONGESTION_MAP_SIZE, isCongestionMap } from "./congestion-map.js";
import { HEADER_SIZE, HeaderOffset } from "./header-layout.js";
import { isSequenceZero } from "./sequence.js";
import { readWord } from "./words.js";

/** Gets each whole frame: its header at `at` of `header`, to be read at once, and its payload, which is the taker's own until given back to `memory`. */
export type FrameTaker = (header: Buffer, at: number, payload: Buffer, memory?: PayloadMemory) => void;

/** Reads bytes to where it is told; gives their number, or 0 or less if there are none. */
export type ByteReader = (into: Buffer, offset: number, length: number) => number;

const EMPTY = Buffer.alloc(0);
/** Least room for a read. */
const MIN_READ = 64 * 1024;
/** Payloads longer than this are read into memory of their own; of others the whole frame has to fit into a block. */
const MAX_IN_BLOCK = 128 * 1024;
/** Memory of a longer beginning of a frame is used again. */
const SHORT_REST = 4096;

/**
 * Cuts a stream of bytes into frames, however it comes in pieces. Payloads stay where they were read to; memory for a long one grows with
 * what has come of it, not with what its header promises.
 */
export class FrameParser {
  /** The last read got as much as there was room for. */
  isFull = false;
  readonly #maxLength: number;
  readonly #take: FrameTaker;
  /** The beginning of a frame that has not come whole, without a long payload. */
  #rest: Buffer = EMPTY;
  #restBlock: Block | undefined;
  /** Of a long payload. */
  readonly #header = Buffer.alloc(HEADER_SIZE);
  #payload: Block | undefined;
  #payloadBytes = 0;
  #length = 0;

  constructor(
    maxLength: number,
    take: FrameTaker,
    /** What is read into; may be shared. */
    private readonly memory = new ReadMemory(),
  ) {
    this.#maxLength = maxLength;
    this.#take = take;
  }

  /** Bytes still to come of a header that has begun, 0 between frames. */
  get headerRemaining(): number {
    const { length } = this.#rest;
    return length === 0 ? 0 : Math.max(0, HEADER_SIZE - length);
  }

  /** Bytes still to come of a payload whose header is there. */
  get dataRemaining(): number {
    if (this.#payload !== undefined) return this.#length - this.#payloadBytes;
    if (this.#rest.length < HEADER_SIZE) return 0;
    return HEADER_SIZE + this.#rest.readUInt32BE(HeaderOffset.length) - this.#rest.length;
  }

  /**
   * Reads once, and gives on every frame that is whole then. Gives what the reader gave. Throws what that throws, and
   * `VERBENA_RDS_MALFORMED` for a frame longer than the limit, for a congestion map of another length than 8192 and for a message with the
   * sequence number 0: the stream is not to be read on.
   */
  read(reader: ByteReader): number {
    if (this.#payload !== undefined) return this.#readLong(this.#payload, reader);
    const rest = this.#rest;
    const block = this.memory.reserve(rest.length + MIN_READ);
    const { bytes, at } = block;
    const start = at + rest.length;
    const got = reader(bytes, start, bytes.length - start);
    this.isFull = start + got === bytes.length;
    if (got <= 0) return got;
    if (rest.length > 0) {
      bytes.set(rest, at);
      this.#rest = EMPTY;
      this.#restBlock?.retire();
      this.#restBlock = undefined;
    }
    // Held meanwhile, so that what is given back at once is not begun anew before all of it is cut.
    block.held += 1;
    try {
      this.#cut(block, start + got);
    } finally {
      block.giveBack(1, true);
    }
    return got;
  }

  /** Takes the next bytes, as {@link read} does. They are not kept. */
  push(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) {
      at += this.read((into, offset, length) => bytes.copy(into, offset, at, at + length));
    }
  }

  #cut(block: Block, to: number): void {
    const { bytes } = block;
    let { at } = block;
    while (to - at >= HEADER_SIZE) {
      const header = at;
      const length = this.#checkedLength(bytes, header);
      const start = header + HEADER_SIZE;
      const end = start + length;
      if (end > to) {
        if (length > MAX_IN_BLOCK) {
          this.#beginLong(bytes, header, to, length);
          at = to;
        }
        break;
      }
      at = end;
      if (length === 0) {
        this.#take(bytes, header, EMPTY);
      } else {
        block.at = start;
        this.#take(bytes, header, block.cut(length), block);
      }
    }
    if (at < to) this.#keepRest(bytes.subarray(at, to));
  }

  #keepRest(rest: Buffer): void {
    if (rest.length <= SHORT_REST) {
      this.#rest = Buffer.from(rest);
      return;
    }
    this.#restBlock = this.memory.alone(rest.length);
    this.#rest = this.#restBlock.bytes.subarray(0, rest.length);
    this.#rest.set(rest);
  }

  #beginLong(block: Buffer, at: number, to: number, length: number): void {
    const start = at + HEADER_SIZE;
    block.copy(this.#header, 0, at, start);
    this.#length = length;
    this.#payloadBytes = to - start;
    this.#payload = this.#room();
    block.copy(this.#payload.bytes, 0, start, to);
  }

  #readLong(payload: Block, reader: ByteReader): number {
    const room = Math.min(payload.bytes.length, this.#length) - this.#payloadBytes;
    const got = reader(payload.bytes, this.#payloadBytes, room);
    this.isFull = got === room;
    if (got <= 0) return got;
    this.#payloadBytes += got;
    if (this.#payloadBytes === this.#length) {
      this.#payload = undefined;
      this.#take(this.#header, 0, payload.cut(this.#length), payload);
    } else if (got === room) {
      this.#payload = this.#room();
      payload.bytes.copy(this.#payload.bytes);
      payload.retire();
    }
    return got;
  }

  /** Memory for a long payload: all of it up to a mebibyte, beyond that twice what has come. */
  #room(): Block {
    return this.memory.alone(Math.min(this.#length, Math.max(2 * this.#payloadBytes, 1 << 20)));
  }

  #checkedLength(header: Buffer, at: number): number {
    const length = readWord(header, at + HeaderOffset.length);
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
