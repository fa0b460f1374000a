import { Gid } from "../value/gid.js";
import type { Lid } from "../value/lid.js";
import { needBytes } from "../wire/check.js";
import { bits, putU8, putU16, putU24 } from "../wire/put.js";

/** Bytes of InformInfo on the wire. */
export const INFORM_INFO_SIZE = 36;

/** InformInfo (IBA 13.4.8.3): subscribes to notices. Host form; 36 bytes big-endian on the wire. */
export interface InformInfo {
  /** Port whose notices are wanted; zero = use the LID range. */
  readonly gid: Gid;
  /** 0xffff = all. */
  readonly lidRangeBegin: Lid;
  /** Last LID of the range; ignored where the range begins with 0xffff. */
  readonly lidRangeEnd: Lid;
  /** Generic notices, not vendor-specific ones. */
  readonly isGeneric: boolean;
  /** false = end the subscription. */
  readonly subscribe: boolean;
  /** Notice type; 0xffff = all. */
  readonly type: number;
  /** Trap number (generic) or device id (vendor); 0xffff = all. */
  readonly trapNumber: number;
  /** 24 bits: QP that gets the reports. */
  readonly qpn: number;
  /** 5 bits: 4.096 µs × 2^code. */
  readonly respTimeValue: number;
  /** 24 bits: node type (generic) or vendor id; 0xffffff = all. */
  readonly producerType: number;
}

/** Writes 36 bytes at `offset`. Throws `VERBENA_IB_VALUE`/`_MALFORMED`. */
export function writeInformInfo(buf: Buffer, offset: number, i: InformInfo): void {
  needBytes("InformInfo", buf, offset, INFORM_INFO_SIZE);
  Gid.write(buf, offset, i.gid);
  putU16(buf, offset + 16, i.lidRangeBegin, "InformInfo.lidRangeBegin");
  putU16(buf, offset + 18, i.lidRangeEnd, "InformInfo.lidRangeEnd");
  putU8(buf, offset + 22, i.isGeneric ? 1 : 0, "InformInfo.isGeneric");
  putU8(buf, offset + 23, i.subscribe ? 1 : 0, "InformInfo.subscribe");
  putU16(buf, offset + 24, i.type, "InformInfo.type");
  putU16(buf, offset + 26, i.trapNumber, "InformInfo.trapNumber");
  putU24(buf, offset + 28, i.qpn, "InformInfo.qpn");
  buf[offset + 31] = bits(i.respTimeValue, 5, "InformInfo.respTimeValue");
  putU24(buf, offset + 33, i.producerType, "InformInfo.producerType");
}

/** Encodes to 36 bytes. Throws `VERBENA_IB_VALUE`. */
export function encodeInformInfo(info: InformInfo): Buffer {
  const buf = Buffer.alloc(INFORM_INFO_SIZE);
  writeInformInfo(buf, 0, info);
  return buf;
}

/** Decodes 36 bytes at `offset`. Throws `VERBENA_IB_MALFORMED`. */
export function decodeInformInfo(buf: Buffer, offset = 0): InformInfo {
  needBytes("InformInfo", buf, offset, INFORM_INFO_SIZE);
  return {
    gid: Gid.read(buf, offset),
    lidRangeBegin: buf.readUInt16BE(offset + 16) as Lid,
    lidRangeEnd: buf.readUInt16BE(offset + 18) as Lid,
    isGeneric: buf.readUInt8(offset + 22) !== 0,
    subscribe: buf.readUInt8(offset + 23) !== 0,
    type: buf.readUInt16BE(offset + 24),
    trapNumber: buf.readUInt16BE(offset + 26),
    qpn: buf.readUIntBE(offset + 28, 3),
    respTimeValue: buf.readUInt8(offset + 31) & 0x1f,
    producerType: buf.readUIntBE(offset + 33, 3),
  };
}
