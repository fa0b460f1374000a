import { Guid } from "../value/guid.js";
import type { Lid } from "../value/lid.js";
import { badValue, needBytes } from "../wire/check.js";
import { putU8, putU16 } from "../wire/put.js";

/** Bytes of a GuidInfoRecord on the wire. */
export const GUID_INFO_RECORD_SIZE = 72;

/** GUIDs in one block of a port's GUID table. */
export const GUIDS_PER_BLOCK = 8;

/** SA GUIDInfoRecord (IBA 15.2.5.18): one block of a port's GUID table. Host form; 72 bytes big-endian on the wire. */
export interface GuidInfoRecord {
  readonly lid: Lid;
  /** Block 0 holds GUIDs 0–7. */
  readonly blockNum: number;
  /** Up to 8 GUIDs; missing ones are zero on the wire. */
  readonly guids: readonly Guid[];
}

/** Encodes to 72 bytes. Throws `VERBENA_IB_VALUE`. */
export function encodeGuidInfoRecord(record: GuidInfoRecord): Buffer {
  const buf = Buffer.alloc(GUID_INFO_RECORD_SIZE);
  putU16(buf, 0, record.lid, "GuidInfoRecord.lid");
  putU8(buf, 2, record.blockNum, "GuidInfoRecord.blockNum");
  if (record.guids.length > GUIDS_PER_BLOCK) throw badValue("GuidInfoRecord.guids.length", record.guids.length, "0…8");
  for (const [i, guid] of record.guids.entries()) Guid.write(buf, 8 + i * 8, guid);
  return buf;
}

/** Decodes 72 bytes at `offset`; always 8 GUIDs. Throws `VERBENA_IB_MALFORMED`. */
export function decodeGuidInfoRecord(buf: Buffer, offset = 0): GuidInfoRecord {
  needBytes("GuidInfoRecord", buf, offset, GUID_INFO_RECORD_SIZE);
  const guids: Guid[] = [];
  for (let i = 0; i < GUIDS_PER_BLOCK; i++) guids.push(Guid.read(buf, offset + 8 + i * 8));
  return { lid: buf.readUInt16BE(offset) as Lid, blockNum: buf.readUInt8(offset + 2), guids };
}
