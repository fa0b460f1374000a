import { badValue, checkLength, checkUint, malformed, needBytes } from "../wire/check.js";
import { putU16, putU64 } from "../wire/put.js";
import { MAD_SIZE, MgmtClass } from "./constants.js";
import { decodeMadHeader, type MadHeader, writeMadHeader } from "./mad-header.js";
import { decodeRmppHeader, NO_RMPP, type RmppHeader, writeRmppHeader } from "./rmpp-header.js";

/** Bytes of the SA's own header (SM_Key, attribute offset, component mask). */
export const SA_HEADER_SIZE = 20;
/** Offset of the SA header: behind the MAD and the RMPP header. */
export const SA_HEADER_OFFSET = 36;
/** Offset of the record in an SA MAD: behind all headers. */
export const SA_DATA_OFFSET = 56;
/** Bytes of record data in one SA MAD. */
export const SA_DATA_SIZE = 200;

/** SA header (IBA 15.2.1.1). Host form; 20 bytes big-endian on the wire. */
export interface SaHeader {
  readonly smKey: bigint;
  /** Distance of the records of a table, in units of 8 bytes; 0 where there is no table. */
  readonly attributeOffset: number;
  /** Which fields of a query's record count; see `ComponentMask`. */
  readonly componentMask: bigint;
}

/** A decoded SA MAD: all headers, and the record bytes. */
export interface SaMad extends MadHeader, SaHeader {
  readonly rmpp: RmppHeader;
  /** View (no copy) of the bytes from offset 56 on: 200 in one MAD, any number in a reassembled message, fewer from some simulators. */
  readonly data: Buffer;
}

/** What {@link encodeSaMad} needs; everything not given is zero, class version 2. */
export interface SaMadFields {
  readonly method: number;
  readonly tid: bigint;
  readonly attributeId: number;
  readonly attributeModifier?: number;
  readonly componentMask?: bigint;
  /** Encoded record, at most 200 bytes. */
  readonly record?: Uint8Array;
  readonly status?: number;
  readonly classSpecific?: number;
  readonly smKey?: bigint;
  /** In units of 8 bytes. */
  readonly attributeOffset?: number;
  readonly rmpp?: RmppHeader;
}

/** Encodes the SA's own header to 20 bytes. Throws `VERBENA_IB_VALUE`. */
export function encodeSaHeader(header: SaHeader): Buffer {
  const buf = Buffer.alloc(SA_HEADER_SIZE);
  writeSaHeader(buf, 0, header);
  return buf;
}

/** Decodes the SA's own header, 20 bytes at `offset`. Throws `VERBENA_IB_MALFORMED`. */
export function decodeSaHeader(buf: Buffer, offset = 0): SaHeader {
  needBytes("SaHeader", buf, offset, SA_HEADER_SIZE);
  return {
    smKey: buf.readBigUInt64BE(offset),
    attributeOffset: buf.readUInt16BE(offset + 8),
    componentMask: buf.readBigUInt64BE(offset + 12),
  };
}

function writeSaHeader(buf: Buffer, offset: number, header: SaHeader): void {
  putU64(buf, offset, header.smKey, "SaHeader.smKey");
  putU16(buf, offset + 8, header.attributeOffset, "SaHeader.attributeOffset");
  putU64(buf, offset + 12, header.componentMask, "SaHeader.componentMask");
}

/** Encodes one SA MAD (IBA 15.2.1): 256 bytes, zero behind the record. Throws `VERBENA_IB_VALUE`. */
export function encodeSaMad(fields: SaMadFields): Buffer {
  const buf = Buffer.alloc(MAD_SIZE);
  const record = fields.record;
  writeHeaders(buf, fields, fields.attributeOffset ?? 0);
  if (record !== undefined) buf.set(checkLength(record, SA_DATA_SIZE, "SaMad.record"), SA_DATA_OFFSET);
  return buf;
}

/** What {@link encodeSaTable} needs. */
export interface SaTableFields extends Omit<SaMadFields, "record" | "attributeOffset"> {
  /** Encoded records, all of the same length. */
  readonly records: readonly Uint8Array[];
  /** Bytes of one record, needed for an empty table to announce its offset; default: the length of the first record. */
  readonly recordSize?: number;
}

/**
 * Encodes a whole SA table as one reassembled message, as the user side of the kernel's RMPP sees it: 56 bytes of headers, then the
 * records, each padded to a multiple of 8 bytes; never shorter than one MAD's headers. Throws `VERBENA_IB_VALUE`.
 */
export function encodeSaTable(fields: SaTableFields): Buffer {
  const size = fields.recordSize ?? fields.records[0]?.length ?? 0;
  const stride = Math.ceil(checkUint(size, 8 * 0xffff, "SaTable.recordSize") / 8) * 8;
  const buf = Buffer.alloc(SA_DATA_OFFSET + stride * fields.records.length);
  writeHeaders(buf, fields, stride / 8);
  let offset = SA_DATA_OFFSET;
  for (const record of fields.records) {
    if (record.length !== size) throw badValue("SaTable.record", `${record.length} bytes`, `${size} bytes`);
    buf.set(record, offset);
    offset += stride;
  }
  return buf;
}

function writeHeaders(buf: Buffer, fields: Omit<SaMadFields, "record">, attributeOffset: number): void {
  writeMadHeader(buf, 0, {
    baseVersion: 1,
    mgmtClass: MgmtClass.SUBN_ADM,
    classVersion: 2,
    method: fields.method,
    status: fields.status ?? 0,
    classSpecific: fields.classSpecific ?? 0,
    tid: fields.tid,
    attributeId: fields.attributeId,
    attributeModifier: fields.attributeModifier ?? 0,
  });
  writeRmppHeader(buf, 24, fields.rmpp ?? NO_RMPP);
  writeSaHeader(buf, SA_HEADER_OFFSET, {
    smKey: fields.smKey ?? 0n,
    attributeOffset,
    componentMask: fields.componentMask ?? 0n,
  });
}

/**
 * Decodes an SA MAD or a reassembled SA message of at least 56 bytes. Versions and class are returned, not judged, except that
 * another management class is refused. Throws `VERBENA_IB_MALFORMED`.
 */
export function decodeSaMad(buf: Buffer): SaMad {
  needBytes("SaMad", buf, 0, SA_DATA_OFFSET);
  const header = decodeMadHeader(buf);
  if (header.mgmtClass !== MgmtClass.SUBN_ADM) {
    throw malformed("SaMad", "management class 3", `class ${header.mgmtClass}`);
  }
  // Member by member: spreading two objects into one costs microseconds, and tables of answers come through here.
  return {
    baseVersion: header.baseVersion,
    mgmtClass: header.mgmtClass,
    classVersion: header.classVersion,
    method: header.method,
    status: header.status,
    classSpecific: header.classSpecific,
    tid: header.tid,
    attributeId: header.attributeId,
    attributeModifier: header.attributeModifier,
    smKey: buf.readBigUInt64BE(SA_HEADER_OFFSET),
    attributeOffset: buf.readUInt16BE(SA_HEADER_OFFSET + 8),
    componentMask: buf.readBigUInt64BE(SA_HEADER_OFFSET + 12),
    rmpp: decodeRmppHeader(buf, 24),
    data: buf.subarray(SA_DATA_OFFSET),
  };
}

/**
 * Splits the reassembled answer to a table query into records (views, no copies) of attributeOffset × 8 bytes. An attribute offset
 * of zero means an empty table. Bytes left over behind the last whole record are padding. Throws `VERBENA_IB_MALFORMED`.
 */
export function saTableRecords(buf: Buffer): Buffer[] {
  const mad = decodeSaMad(buf);
  const stride = mad.attributeOffset * 8;
  const records: Buffer[] = [];
  if (stride === 0) return records;
  for (let at = 0; at + stride <= mad.data.length; at += stride) records.push(mad.data.subarray(at, at + stride));
  return records;
}
