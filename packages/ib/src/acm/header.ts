import { checkU64, checkUint, needBytes } from "../wire/check.js";
import { readU16Host, readU64Host, writeU16Host, writeU64Host } from "../wire/host-order.js";
import { putU8 } from "../wire/put.js";
import { ACM_HEADER_SIZE, ACM_OPCODE, ACM_VERSION } from "./constants.js";

/**
 * Header of the ACM client protocol, 16 bytes. `length` is in host order for RESOLVE and big-endian for the two queries; the codec
 * knows. `tid` is opaque; it is read and written in host order, so that equal bytes give equal numbers.
 */
export interface AcmHeader {
  /** 1. */
  readonly version: number;
  /** See `ACM_OPCODE`; all eight bits. */
  readonly opcode: number;
  /** See `ACM_STATUS`; 0 in requests. */
  readonly status: number;
  /** PERF reply: number of counters. Endpoint query: index, from 1. */
  readonly data0: number;
  /** PERF: endpoint index, 0 = all together. Endpoint query: port number, 0 = any. */
  readonly data1: number;
  readonly data2: number;
  /** Bytes of the whole message. */
  readonly length: number;
  readonly tid: bigint;
}

/** What {@link writeAcmHeader} needs; bytes not given are zero. */
export type AcmHeaderFields = Pick<AcmHeader, "opcode" | "length"> & Partial<AcmHeader>;

/** Requests: only the exact byte 0x01 has its length in host order; the ACK bit or others make it big-endian. */
const isHostOrderRequest = (opcode: number): boolean => opcode === ACM_OPCODE.RESOLVE;
/** Replies: RESOLVE lengths are in host order with and without the ACK bit. */
const isHostOrderReply = (opcode: number): boolean => (opcode & ACM_OPCODE.MASK) === ACM_OPCODE.RESOLVE;

/** Decodes a request's header. Judges nothing but the number of bytes. Throws `VERBENA_IB_MALFORMED`. */
export function decodeAcmHeader(buf: Buffer, offset = 0): AcmHeader {
  return decode(buf, offset, isHostOrderRequest);
}

/** Decodes a reply's header. Judges nothing but the number of bytes. Throws `VERBENA_IB_MALFORMED`. */
export function decodeAcmReplyHeader(buf: Buffer, offset = 0): AcmHeader {
  return decode(buf, offset, isHostOrderReply);
}

function decode(buf: Buffer, offset: number, isHostOrder: (opcode: number) => boolean): AcmHeader {
  needBytes("AcmHeader", buf, offset, ACM_HEADER_SIZE);
  const opcode = buf.readUInt8(offset + 1);
  return {
    version: buf.readUInt8(offset),
    opcode,
    status: buf.readUInt8(offset + 2),
    data0: buf.readUInt8(offset + 3),
    data1: buf.readUInt8(offset + 4),
    data2: buf.readUInt8(offset + 5),
    length: isHostOrder(opcode) ? readU16Host(buf, offset + 6) : buf.readUInt16BE(offset + 6),
    tid: readU64Host(buf, offset + 8),
  };
}

/** Writes a header of a request or reply at the start of `buf`. Throws `VERBENA_IB_VALUE`/`_MALFORMED`. */
export function writeAcmHeader(buf: Buffer, h: AcmHeaderFields): void {
  needBytes("AcmHeader", buf, 0, ACM_HEADER_SIZE);
  putU8(buf, 0, h.version ?? ACM_VERSION, "AcmHeader.version");
  putU8(buf, 1, h.opcode, "AcmHeader.opcode");
  putU8(buf, 2, h.status ?? 0, "AcmHeader.status");
  putU8(buf, 3, h.data0 ?? 0, "AcmHeader.data0");
  putU8(buf, 4, h.data1 ?? 0, "AcmHeader.data1");
  putU8(buf, 5, h.data2 ?? 0, "AcmHeader.data2");
  checkUint(h.length, 0xffff, "AcmHeader.length");
  if (isHostOrderReply(h.opcode)) writeU16Host(buf, 6, h.length);
  else buf.writeUInt16BE(h.length, 6);
  writeU64Host(buf, 8, checkU64(h.tid ?? 0n, "AcmHeader.tid"));
}
