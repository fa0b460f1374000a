import { Guid } from "../value/guid.js";
import { needBytes } from "../wire/check.js";
import { bits, putU32, putU64 } from "../wire/put.js";

/** Bytes of SMInfo on the wire: the 21 that carry meaning. */
export const SM_INFO_SIZE = 21;

/** Values of {@link SmInfo.state}. */
export const SmState = { NOT_ACTIVE: 0, DISCOVERING: 1, STANDBY: 2, MASTER: 3 } as const;

/** SM SMInfo (IBA 14.2.5.13). Host form; 21 bytes big-endian on the wire. */
export interface SmInfo {
  /** GUID of the port the SM runs at. */
  readonly guid: Guid;
  /** 64 bits; 0 unless the reader is trusted. */
  readonly smKey: bigint;
  /** 32 bits; grows while the SM lives. */
  readonly activityCount: number;
  /** 4 bits; higher wins. */
  readonly priority: number;
  /** 4 bits, see {@link SmState}. */
  readonly state: number;
}

/** Encodes to 21 bytes. Throws `VERBENA_IB_VALUE`. */
export function encodeSmInfo(info: SmInfo): Buffer {
  const buf = Buffer.alloc(SM_INFO_SIZE);
  Guid.write(buf, 0, info.guid);
  putU64(buf, 8, info.smKey, "SmInfo.smKey");
  putU32(buf, 16, info.activityCount, "SmInfo.activityCount");
  buf[20] = (bits(info.priority, 4, "SmInfo.priority") << 4) | bits(info.state, 4, "SmInfo.state");
  return buf;
}

/** Decodes 21 bytes at `offset`. Throws `VERBENA_IB_MALFORMED`. */
export function decodeSmInfo(buf: Buffer, offset = 0): SmInfo {
  needBytes("SmInfo", buf, offset, SM_INFO_SIZE);
  const priorityState = buf.readUInt8(offset + 20);
  return {
    guid: Guid.read(buf, offset),
    smKey: buf.readBigUInt64BE(offset + 8),
    activityCount: buf.readUInt32BE(offset + 16),
    priority: priorityState >>> 4,
    state: priorityState & 0xf,
  };
}
