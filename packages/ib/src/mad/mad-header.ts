import { needBytes } from "../wire/check.js";
import { putU8, putU16, putU32, putU64 } from "../wire/put.js";

/** Bytes of the common MAD header on the wire. */
export const MAD_HEADER_SIZE = 24;

/** Common MAD header (IBA 13.4.3). Host form; 24 bytes big-endian on the wire. */
export interface MadHeader {
  /** 1. */
  readonly baseVersion: number;
  /** See `MgmtClass`. */
  readonly mgmtClass: number;
  /** SA 2, SM 1. */
  readonly classVersion: number;
  /** See `MadMethod`. */
  readonly method: number;
  /** See `MadStatus`. */
  readonly status: number;
  /** 16 bits of the class; hop pointer and hop count of directed-route SMPs. */
  readonly classSpecific: number;
  /** 64 bits; the kernel replaces the upper 32 by its agent number, so match answers by the lower 32. */
  readonly tid: bigint;
  readonly attributeId: number;
  readonly attributeModifier: number;
}

/** Writes 24 bytes at `offset`. Throws `VERBENA_IB_VALUE`/`_MALFORMED`. */
export function writeMadHeader(buf: Buffer, offset: number, h: MadHeader): void {
  needBytes("MadHeader", buf, offset, MAD_HEADER_SIZE);
  putU8(buf, offset, h.baseVersion, "MadHeader.baseVersion");
  putU8(buf, offset + 1, h.mgmtClass, "MadHeader.mgmtClass");
  putU8(buf, offset + 2, h.classVersion, "MadHeader.classVersion");
  putU8(buf, offset + 3, h.method, "MadHeader.method");
  putU16(buf, offset + 4, h.status, "MadHeader.status");
  putU16(buf, offset + 6, h.classSpecific, "MadHeader.classSpecific");
  putU64(buf, offset + 8, h.tid, "MadHeader.tid");
  putU16(buf, offset + 16, h.attributeId, "MadHeader.attributeId");
  putU32(buf, offset + 20, h.attributeModifier, "MadHeader.attributeModifier");
}

/** Encodes to 24 bytes. Throws `VERBENA_IB_VALUE`. */
export function encodeMadHeader(header: MadHeader): Buffer {
  const buf = Buffer.alloc(MAD_HEADER_SIZE);
  writeMadHeader(buf, 0, header);
  return buf;
}

/** Decodes 24 bytes at `offset`. Throws `VERBENA_IB_MALFORMED`. */
export function decodeMadHeader(buf: Buffer, offset = 0): MadHeader {
  needBytes("MadHeader", buf, offset, MAD_HEADER_SIZE);
  return {
    baseVersion: buf.readUInt8(offset),
    mgmtClass: buf.readUInt8(offset + 1),
    classVersion: buf.readUInt8(offset + 2),
    method: buf.readUInt8(offset + 3),
    status: buf.readUInt16BE(offset + 4),
    classSpecific: buf.readUInt16BE(offset + 6),
    tid: buf.readBigUInt64BE(offset + 8),
    attributeId: buf.readUInt16BE(offset + 16),
    attributeModifier: buf.readUInt32BE(offset + 20),
  };
}
