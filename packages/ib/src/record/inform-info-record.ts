import { Gid } from "../value/gid.js";
import { needBytes } from "../wire/check.js";
import { putU16 } from "../wire/put.js";
import { decodeInformInfo, type InformInfo, writeInformInfo } from "./inform-info.js";

/** Bytes of an InformInfoRecord on the wire (SA tables pad it to 64). */
export const INFORM_INFO_RECORD_SIZE = 60;

/** SA InformInfoRecord (IBA 15.2.5.12): one subscription. Host form; 60 bytes big-endian on the wire. */
export interface InformInfoRecord {
  readonly subscriberGid: Gid;
  /** Distinguishes the subscriptions of one port. */
  readonly subscriberEnum: number;
  readonly informInfo: InformInfo;
}

/** Encodes to 60 bytes. Throws `VERBENA_IB_VALUE`. */
export function encodeInformInfoRecord(record: InformInfoRecord): Buffer {
  const buf = Buffer.alloc(INFORM_INFO_RECORD_SIZE);
  Gid.write(buf, 0, record.subscriberGid);
  putU16(buf, 16, record.subscriberEnum, "InformInfoRecord.subscriberEnum");
  writeInformInfo(buf, 24, record.informInfo);
  return buf;
}

/** Decodes 60 bytes at `offset`. Throws `VERBENA_IB_MALFORMED`. */
export function decodeInformInfoRecord(buf: Buffer, offset = 0): InformInfoRecord {
  needBytes("InformInfoRecord", buf, offset, INFORM_INFO_RECORD_SIZE);
  return {
    subscriberGid: Gid.read(buf, offset),
    subscriberEnum: buf.readUInt16BE(offset + 16),
    informInfo: decodeInformInfo(buf, offset + 24),
  };
}
