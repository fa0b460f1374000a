import type { Completion, CompletionBatch, CompletionQueue } from "../api/completions.js";
import { IS_LITTLE } from "../host-order.js";
import { opcodeName, statusName, WC_GRH, WC_RECV, WC_WITH_IMM } from "./codes.js";

// Layout of src/cc/rdma/completion-records.h: `struct ibv_wc` of 48 bytes each, and behind the last of them a token of 4 bytes each.
const SIZE = 48;
const TOKEN_SIZE = 4;

// Places in units of the view they are read through.
const WORDS = SIZE / 4;
const DOUBLES = SIZE / 8;
const [STATUS, OPCODE, VENDOR_ERROR, BYTE_LENGTH, IMM, QPN, SRC_QPN, FLAGS] = [2, 3, 4, 5, 6, 7, 8, 9];
const [PKEY_INDEX, SLID] = [20, 21];
const [SL, PATH_BITS] = [44, 45];

/** The one field in network order. */
const fromNetwork = (word: number): number =>
  IS_LITTLE ? (((word & 0xff) << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24)) >>> 0 : word;

/** A block that the addon fills with completions, in host order. */
export class CompletionRecords implements CompletionBatch {
  length = 0;
  readonly #doubles: Float64Array;
  readonly #words: Uint32Array;
  readonly #halves: Uint16Array;

  constructor(
    readonly cq: CompletionQueue,
    /** Completions that it has room for. */
    readonly capacity: number,
    /** The whole of the block: that of the addon, or one of its own. */
    readonly bytes: Uint8Array<ArrayBuffer> = new Uint8Array(capacity * (SIZE + TOKEN_SIZE)),
  ) {
    const { buffer } = bytes;
    this.#doubles = new Float64Array(buffer, 0, capacity * DOUBLES);
    this.#words = new Uint32Array(buffer);
    this.#halves = new Uint16Array(buffer);
  }

  wrId(index: number): number {
    return this.#doubles[index * DOUBLES] ?? 0;
  }
  token(index: number): number {
    return this.#words[this.capacity * WORDS + index] ?? 0;
  }
  statusCode(index: number): number {
    return this.#words[index * WORDS + STATUS] ?? 0;
  }
  opcodeCode(index: number): number {
    return this.#words[index * WORDS + OPCODE] ?? 0;
  }
  byteLength(index: number): number {
    return this.#words[index * WORDS + BYTE_LENGTH] ?? 0;
  }
  imm(index: number): number {
    return this.#hasImm(index) ? fromNetwork(this.#words[index * WORDS + IMM] ?? 0) : 0;
  }
  qpn(index: number): number {
    return this.#words[index * WORDS + QPN] ?? 0;
  }
  srcQpn(index: number): number {
    return this.#words[index * WORDS + SRC_QPN] ?? 0;
  }

  at(index: number): Completion {
    if (!(index >= 0 && index < this.length)) throw new RangeError(`the batch has no completion ${index}`);
    const word = index * WORDS;
    const half = index * (SIZE / 2);
    const byte = index * SIZE;
    const flags = this.#flags(index);
    const statusCode = this.statusCode(index);
    return {
      wrId: this.wrId(index),
      status: statusName(statusCode),
      statusCode,
      opcode: opcodeName(this.opcodeCode(index)),
      byteLength: this.byteLength(index),
      imm: this.#hasImm(index) ? this.imm(index) : undefined,
      qpn: this.qpn(index),
      srcQpn: this.srcQpn(index),
      slid: this.#halves[half + SLID] ?? 0,
      sl: this.bytes[byte + SL] ?? 0,
      pathBits: this.bytes[byte + PATH_BITS] ?? 0,
      pkeyIndex: this.#halves[half + PKEY_INDEX] ?? 0,
      hasGrh: (flags & WC_GRH) !== 0,
      vendorError: this.#words[word + VENDOR_ERROR] ?? 0,
    };
  }

  *[Symbol.iterator](): Iterator<Completion> {
    for (let i = 0; i < this.length; i++) yield this.at(i);
  }

  /** Moves one record within the block, without its token. */
  move(from: number, to: number): void {
    if (from === to) return;
    this.bytes.copyWithin(to * SIZE, from * SIZE, (from + 1) * SIZE);
  }

  /** A block of its own with the same records, which have no tokens any more. */
  copy(): CompletionRecords {
    const copy = new CompletionRecords(this.cq, this.length);
    copy.bytes.set(this.bytes.subarray(0, this.length * SIZE));
    copy.length = this.length;
    return copy;
  }

  /** Devices differ in whether the flag is also set where the data was sent from, without the data. */
  #hasImm(index: number): boolean {
    return (this.#flags(index) & WC_WITH_IMM) !== 0 && (this.opcodeCode(index) & WC_RECV) !== 0;
  }

  #flags(index: number): number {
    return this.#words[index * WORDS + FLAGS] ?? 0;
  }
}
