import { needBytes } from "../wire/check.js";
import { bits, putU8, putU32 } from "../wire/put.js";

/** Bytes of the RMPP header on the wire. */
export const RMPP_HEADER_SIZE = 12;

/** Values of {@link RmppHeader.type}. */
export const RmppType = { NONE: 0, DATA: 1, ACK: 2, STOP: 3, ABORT: 4 } as const;

/** Bits of {@link RmppHeader.flags}. */
export const RmppFlag = { ACTIVE: 1, FIRST: 2, LAST: 4 } as const;

/** RMPP header (IBA 13.6.2.1). Host form; 12 bytes big-endian on the wire. */
export interface RmppHeader {
  /** 1, or 0 if RMPP is not in use. */
  readonly version: number;
  /** See {@link RmppType}. */
  readonly type: number;
  /** 5 bits: response time; 31 = none given. */
  readonly respTime: number;
  /** 3 bits, see {@link RmppFlag}. */
  readonly flags: number;
  readonly status: number;
  /** Segment number from 1 (DATA, ACK). */
  readonly segment: number;
  /** DATA: payload length in the first and last segment; ACK: new window last. */
  readonly payloadLengthOrNewWindow: number;
}

/** The header of a MAD that does not use RMPP: all zero. */
export const NO_RMPP: RmppHeader = {
  version: 0,
  type: 0,
  respTime: 0,
  flags: 0,
  status: 0,
  segment: 0,
  payloadLengthOrNewWindow: 0,
};

/** Writes 12 bytes at `offset`. Throws `VERBENA_IB_VALUE`/`_MALFORMED`. */
export function writeRmppHeader(buf: Buffer, offset: number, h: RmppHeader): void {
  needBytes("RmppHeader", buf, offset, RMPP_HEADER_SIZE);
  putU8(buf, offset, h.version, "RmppHeader.version");
  putU8(buf, offset + 1, h.type, "RmppHeader.type");
  buf[offset + 2] = (bits(h.respTime, 5, "RmppHeader.respTime") << 3) | bits(h.flags, 3, "RmppHeader.flags");
  putU8(buf, offset + 3, h.status, "RmppHeader.status");
  putU32(buf, offset + 4, h.segment, "RmppHeader.segment");
  putU32(buf, offset + 8, h.payloadLengthOrNewWindow, "RmppHeader.payloadLengthOrNewWindow");
}

/** Encodes to 12 bytes. Throws `VERBENA_IB_VALUE`. */
export function encodeRmppHeader(header: RmppHeader): Buffer {
  const buf = Buffer.alloc(RMPP_HEADER_SIZE);
  writeRmppHeader(buf, 0, header);
  return buf;
}

/** Decodes 12 bytes at `offset`. Throws `VERBENA_IB_MALFORMED`. */
export function decodeRmppHeader(buf: Buffer, offset = 0): RmppHeader {
  needBytes("RmppHeader", buf, offset, RMPP_HEADER_SIZE);
  const timeFlags = buf.readUInt8(offset + 2);
  return {
    version: buf.readUInt8(offset),
    type: buf.readUInt8(offset + 1),
    respTime: timeFlags >>> 3,
    flags: timeFlags & 7,
    status: buf.readUInt8(offset + 3),
    segment: buf.readUInt32BE(offset + 4),
    payloadLengthOrNewWindow: buf.readUInt32BE(offset + 8),
  };
}
