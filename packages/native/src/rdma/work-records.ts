import type { MemorySegment } from "../api/memory.js";
import type { ReceiveRequest, Segments, SendRequest } from "../api/queue-pair.js";
import { OpenAddressHandle } from "./address-handle.js";
import { SEND_FLAG, WR } from "./codes.js";
import { OpenMemoryRegion } from "./memory-region.js";
import { needInteger, optionError } from "./option-error.js";

// Layout of `struct WorkRecord` and `struct WorkSegment` of src/cc/rdma/work-records.h.
const HEAD_SIZE = 72;
const SEGMENT_SIZE = 16;
const [OPCODE, FLAGS, IMM, SEGMENT_COUNT] = [0, 1, 2, 3];
const WR_ID = 2;
const [TOKEN, ADDRESS_HANDLE, REMOTE_QPN, REMOTE_QKEY] = [6, 7, 8, 9];
const [REMOTE_ADDRESS, COMPARE_ADD, SWAP] = [5, 6, 7];
const RKEY = 16;
const [REGION, LENGTH] = [0, 1];
const OFFSET = 1;

const MAX_WORD = 2 ** 32 - 1;
const MAX_LONG = 2n ** 64n - 1n;
const MIN_LONG = -(2n ** 63n);

/** Throws `VERBENA_NATIVE_OPTION` for what an unsigned field would cut off. */
function needWord(what: string, value: number, max = MAX_WORD): number {
  needInteger(what, value, 0, max);
  return value;
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

/** As {@link needWord}; negative numbers are the two's complement, so that an atomic can subtract. */
function needLong(what: string, value: bigint): bigint {
  if (typeof value === "bigint" && value >= MIN_LONG && value <= MAX_LONG) return value;
  throw optionError(`${what} must be a bigint of 64 bits`);
}

/** Writes work requests into a block that is used again and grows with the longest list. */
export class WorkRecords {
  /** Written so far, from the begin of `bytes`. */
  count = 0;
  bytes: Uint8Array<ArrayBuffer>;
  #words: Uint32Array;
  #doubles: Float64Array;
  #longs: BigUint64Array;
  readonly #stride: number;

  constructor(readonly maxSegments: number) {
    this.#stride = HEAD_SIZE + maxSegments * SEGMENT_SIZE;
    const buffer = new ArrayBuffer(8 * this.#stride);
    this.bytes = new Uint8Array(buffer);
    this.#words = new Uint32Array(buffer);
    this.#doubles = new Float64Array(buffer);
    this.#longs = new BigUint64Array(buffer);
  }

  clear(): void {
    this.count = 0;
  }

  send(request: SendRequest, token: number): void {
    const at = this.#next();
    const word = at / 4;
    this.#common(at, request, token);
    let flags = request.signaled === false ? 0 : SEND_FLAG.SIGNALED;
    if (request.fence === true) flags |= SEND_FLAG.FENCE;
    if (request.inline === true) flags |= SEND_FLAG.INLINE;
    let opcode: number = WR.SEND;
    let imm: number | undefined;
    switch (request.opcode) {
      case undefined:
      case "send": {
        imm = request.imm;
        if (imm !== undefined) opcode = WR.SEND_WITH_IMM;
        if (request.solicited === true) flags |= SEND_FLAG.SOLICITED;
        if (request.to === undefined) break;
        const { ah, qpn, qkey } = request.to;
        if (!(ah instanceof OpenAddressHandle)) throw optionError("to.ah must be an address handle of this package");
        this.#words[word + ADDRESS_HANDLE] = ah.id;
        this.#words[word + REMOTE_QPN] = needWord("to.qpn", qpn, 0xff_ffff);
        this.#words[word + REMOTE_QKEY] = needWord("to.qkey", qkey);
        break;
      }
      case "rdma-write":
      case "rdma-read":
        imm = request.imm;
        opcode =
          request.opcode === "rdma-read" ? WR.RDMA_READ : imm === undefined ? WR.RDMA_WRITE : WR.RDMA_WRITE_WITH_IMM;
        if (request.opcode === "rdma-read" && imm !== undefined)
          throw optionError("an RDMA read carries no immediate data");
        if (request.solicited === true) flags |= SEND_FLAG.SOLICITED;
        this.#remote(at, request.remoteAddress, request.rkey);
        break;
      case "compare-and-swap":
        opcode = WR.COMPARE_AND_SWAP;
        this.#remote(at, request.remoteAddress, request.rkey);
        this.#longs[at / 8 + COMPARE_ADD] = needLong("compare", request.compare ?? 0n);
        this.#longs[at / 8 + SWAP] = needLong("swap", request.swap ?? 0n);
        break;
      case "fetch-and-add":
        opcode = WR.FETCH_AND_ADD;
        this.#remote(at, request.remoteAddress, request.rkey);
        this.#longs[at / 8 + COMPARE_ADD] = needLong("add", request.add ?? 0n);
        break;
      default:
        throw optionError(`unknown opcode ${String((request satisfies never as SendRequest).opcode)}`);
    }
    this.#words[word + OPCODE] = opcode;
    this.#words[word + FLAGS] = flags;
    this.#words[word + IMM] = imm === undefined ? 0 : needWord("imm", imm);
  }

  receive(request: ReceiveRequest, token: number): void {
    this.#common(this.#next(), request, token);
  }

  #remote(at: number, address: bigint, rkey: number): void {
    if (typeof address !== "bigint" || address < 0n || address > MAX_LONG) {
      throw optionError("remoteAddress must be a bigint of 0 to 2^64 - 1");
    }
    this.#longs[at / 8 + REMOTE_ADDRESS] = address;
    this.#words[at / 4 + RKEY] = needWord("rkey", rkey);
  }

  #common(at: number, request: ReceiveRequest, token: number): void {
    const wrId = request.wrId ?? 0;
    if (typeof wrId !== "number") throw optionError("wrId must be a number");
    this.#doubles[at / 8 + WR_ID] = wrId;
    this.#words[at / 4 + TOKEN] = token;
    this.#segments(at, request.data);
  }

  #segments(at: number, data: Segments | undefined): void {
    const word = at / 4 + SEGMENT_COUNT;
    if (data === undefined) {
      this.#words[word] = 0;
    } else if (!isObject(data)) {
      throw optionError("data must be a segment or a list of segments");
    } else if ("region" in data) {
      this.#words[word] = 1;
      this.#segment(at + HEAD_SIZE, data);
    } else {
      if (data.length > this.maxSegments) {
        throw optionError(`a request of ${data.length} segments where ${this.maxSegments} are possible`);
      }
      this.#words[word] = data.length;
      for (const [i, segment] of data.entries()) this.#segment(at + HEAD_SIZE + i * SEGMENT_SIZE, segment);
    }
  }

  /** Bounds are checked by the addon, which knows the region. */
  #segment(at: number, { region, offset = 0, length }: MemorySegment): void {
    if (!(region instanceof OpenMemoryRegion)) throw optionError("a segment's region must be one of this package");
    if (this.maxSegments === 0) throw optionError("this queue takes requests without data only");
    if (typeof offset !== "number") throw optionError("a segment's offset must be a number");
    const word = at / 4;
    this.#words[word + REGION] = region.id;
    // Here, since the record would keep the low 32 bits of what is longer.
    this.#words[word + LENGTH] = needWord("a segment's length", length ?? Math.max(region.length - offset, 0));
    this.#doubles[at / 8 + OFFSET] = offset;
  }

  /** Place of the next record, zeroed. */
  #next(): number {
    const at = this.count * this.#stride;
    if (at + this.#stride > this.bytes.length) this.#grow();
    this.count++;
    this.#words.fill(0, at / 4, (at + HEAD_SIZE) / 4);
    return at;
  }

  #grow(): void {
    const buffer = new ArrayBuffer(this.bytes.length * 2);
    const bytes = new Uint8Array(buffer);
    bytes.set(this.bytes);
    this.bytes = bytes;
    this.#words = new Uint32Array(buffer);
    this.#doubles = new Float64Array(buffer);
    this.#longs = new BigUint64Array(buffer);
  }
}
