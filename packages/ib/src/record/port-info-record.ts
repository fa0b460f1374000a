import { decodePortInfo, type PortInfo, writePortInfo } from "../smp/port-info.js";
import type { Lid } from "../value/lid.js";
import { needBytes } from "../wire/check.js";
import { putU8, putU16 } from "../wire/put.js";

/** Bytes of a PortInfoRecord on the wire (SA tables pad it to 72). */
export const PORT_INFO_RECORD_SIZE = 68;

/** SA PortInfoRecord (IBA 15.2.5.3). Host form; 68 bytes big-endian on the wire. */
export interface PortInfoRecord {
  /** Base LID of the end port; for a switch's external port the LID of its port 0. */
  readonly endportLid: Lid;
  readonly portNum: number;
  /** Options of a query; 0 in answers. */
  readonly options: number;
  readonly portInfo: PortInfo;
}

/** Encodes to 68 bytes. Throws `VERBENA_IB_VALUE`. */
export function encodePortInfoRecord(record: PortInfoRecord): Buffer {
  const buf = Buffer.alloc(PORT_INFO_RECORD_SIZE);
  putU16(buf, 0, record.endportLid, "PortInfoRecord.endportLid");
  putU8(buf, 2, record.portNum, "PortInfoRecord.portNum");
  putU8(buf, 3, record.options, "PortInfoRecord.options");
  writePortInfo(buf, 4, record.portInfo);
  return buf;
}

/** Decodes 68 bytes at `offset`. Throws `VERBENA_IB_MALFORMED`. */
export function decodePortInfoRecord(buf: Buffer, offset = 0): PortInfoRecord {
  needBytes("PortInfoRecord", buf, offset, PORT_INFO_RECORD_SIZE);
  return {
    endportLid: buf.readUInt16BE(offset) as Lid,
    portNum: buf.readUInt8(offset + 2),
    options: buf.readUInt8(offset + 3),
    portInfo: decodePortInfo(buf, offset + 4),
  };
}
