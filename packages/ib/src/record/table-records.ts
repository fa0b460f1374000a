import { decodeSmInfo, encodeSmInfo, SM_INFO_SIZE, type SmInfo } from "../smp/sm-info.js";
import { decodeSwitchInfo, encodeSwitchInfo, SWITCH_INFO_SIZE, type SwitchInfo } from "../smp/switch-info.js";
import {
  decodeLftBlock,
  decodeMftBlock,
  decodePKeyBlock,
  encodeLftBlock,
  encodeMftBlock,
  encodePKeyBlock,
  TABLE_BLOCK_SIZE,
} from "../smp/tables.js";
import type { Lid } from "../value/lid.js";
import type { PKey } from "../value/pkey.js";
import { needBytes } from "../wire/check.js";
import { bits, putU8, putU16 } from "../wire/put.js";

/** Bytes of a SwitchInfoRecord on the wire. */
export const SWITCH_INFO_RECORD_SIZE = 4 + SWITCH_INFO_SIZE;
/** Bytes of a LinkRecord on the wire (SA tables pad it to 8). */
export const LINK_RECORD_SIZE = 6;
/** Bytes of an SMInfoRecord on the wire (SA tables pad it to 32). */
export const SM_INFO_RECORD_SIZE = 4 + SM_INFO_SIZE;
/** Bytes of a P_KeyTableRecord, LinearForwardingTableRecord or MulticastForwardingTableRecord on the wire. */
export const TABLE_RECORD_SIZE = 8 + TABLE_BLOCK_SIZE;

/** SA SwitchInfoRecord (IBA 15.2.5.5). Host form; 24 bytes big-endian on the wire. */
export interface SwitchInfoRecord {
  readonly lid: Lid;
  readonly switchInfo: SwitchInfo;
}

/** Encodes to 24 bytes. Throws `VERBENA_IB_VALUE`. */
export function encodeSwitchInfoRecord(record: SwitchInfoRecord): Buffer {
  const buf = Buffer.alloc(SWITCH_INFO_RECORD_SIZE);
  putU16(buf, 0, record.lid, "SwitchInfoRecord.lid");
  buf.set(encodeSwitchInfo(record.switchInfo), 4);
  return buf;
}

/** Decodes 24 bytes at `offset`. Throws `VERBENA_IB_MALFORMED`. */
export function decodeSwitchInfoRecord(buf: Buffer, offset = 0): SwitchInfoRecord {
  needBytes("SwitchInfoRecord", buf, offset, SWITCH_INFO_RECORD_SIZE);
  return { lid: buf.readUInt16BE(offset) as Lid, switchInfo: decodeSwitchInfo(buf, offset + 4) };
}

/** SA LinkRecord (IBA 15.2.5.13): one direction of a link. Host form; 6 bytes big-endian on the wire. */
export interface LinkRecord {
  readonly fromLid: Lid;
  readonly fromPort: number;
  readonly toPort: number;
  readonly toLid: Lid;
}

/** Encodes to 6 bytes. Throws `VERBENA_IB_VALUE`. */
export function encodeLinkRecord(record: LinkRecord): Buffer {
  const buf = Buffer.alloc(LINK_RECORD_SIZE);
  putU16(buf, 0, record.fromLid, "LinkRecord.fromLid");
  putU8(buf, 2, record.fromPort, "LinkRecord.fromPort");
  putU8(buf, 3, record.toPort, "LinkRecord.toPort");
  putU16(buf, 4, record.toLid, "LinkRecord.toLid");
  return buf;
}

/** Decodes 6 bytes at `offset`. Throws `VERBENA_IB_MALFORMED`. */
export function decodeLinkRecord(buf: Buffer, offset = 0): LinkRecord {
  needBytes("LinkRecord", buf, offset, LINK_RECORD_SIZE);
  return {
    fromLid: buf.readUInt16BE(offset) as Lid,
    fromPort: buf.readUInt8(offset + 2),
    toPort: buf.readUInt8(offset + 3),
    toLid: buf.readUInt16BE(offset + 4) as Lid,
  };
}

/** SA SMInfoRecord (IBA 15.2.5.10). Host form; 25 bytes big-endian on the wire. */
export interface SmInfoRecord {
  readonly lid: Lid;
  readonly smInfo: SmInfo;
}

/** Encodes to 25 bytes. Throws `VERBENA_IB_VALUE`. */
export function encodeSmInfoRecord(record: SmInfoRecord): Buffer {
  const buf = Buffer.alloc(SM_INFO_RECORD_SIZE);
  putU16(buf, 0, record.lid, "SmInfoRecord.lid");
  buf.set(encodeSmInfo(record.smInfo), 4);
  return buf;
}

/** Decodes 25 bytes at `offset`. Throws `VERBENA_IB_MALFORMED`. */
export function decodeSmInfoRecord(buf: Buffer, offset = 0): SmInfoRecord {
  needBytes("SmInfoRecord", buf, offset, SM_INFO_RECORD_SIZE);
  return { lid: buf.readUInt16BE(offset) as Lid, smInfo: decodeSmInfo(buf, offset + 4) };
}

/** SA P_KeyTableRecord (IBA 15.2.5.11): one block of a port's table. Host form; 72 bytes big-endian on the wire. */
export interface PKeyTableRecord {
  readonly lid: Lid;
  readonly blockNum: number;
  readonly portNum: number;
  /** Up to 32 keys. */
  readonly pkeys: readonly PKey[];
}

/** Encodes to 72 bytes. Throws `VERBENA_IB_VALUE`. */
export function encodePKeyTableRecord(record: PKeyTableRecord): Buffer {
  const buf = Buffer.alloc(TABLE_RECORD_SIZE);
  putU16(buf, 0, record.lid, "PKeyTableRecord.lid");
  putU16(buf, 2, record.blockNum, "PKeyTableRecord.blockNum");
  putU8(buf, 4, record.portNum, "PKeyTableRecord.portNum");
  buf.set(encodePKeyBlock(record.pkeys), 8);
  return buf;
}

/** Decodes 72 bytes at `offset`; always 32 keys. Throws `VERBENA_IB_MALFORMED`. */
export function decodePKeyTableRecord(buf: Buffer, offset = 0): PKeyTableRecord {
  needBytes("PKeyTableRecord", buf, offset, TABLE_RECORD_SIZE);
  return {
    lid: buf.readUInt16BE(offset) as Lid,
    blockNum: buf.readUInt16BE(offset + 2),
    portNum: buf.readUInt8(offset + 4),
    pkeys: decodePKeyBlock(buf, offset + 8),
  };
}

/** SA LinearForwardingTableRecord (IBA 15.2.5.6): one block. Host form; 72 bytes big-endian on the wire. */
export interface LftRecord {
  readonly lid: Lid;
  readonly blockNum: number;
  /** Output ports of LIDs 64·blockNum …; up to 64. */
  readonly ports: readonly number[] | Uint8Array;
}

/** Encodes to 72 bytes. Throws `VERBENA_IB_VALUE`. */
export function encodeLftRecord(record: LftRecord): Buffer {
  const buf = Buffer.alloc(TABLE_RECORD_SIZE);
  putU16(buf, 0, record.lid, "LftRecord.lid");
  putU16(buf, 2, record.blockNum, "LftRecord.blockNum");
  buf.set(encodeLftBlock(record.ports), 8);
  return buf;
}

/** Decodes 72 bytes at `offset`; always 64 ports. Throws `VERBENA_IB_MALFORMED`. */
export function decodeLftRecord(buf: Buffer, offset = 0): LftRecord {
  needBytes("LftRecord", buf, offset, TABLE_RECORD_SIZE);
  return {
    lid: buf.readUInt16BE(offset) as Lid,
    blockNum: buf.readUInt16BE(offset + 2),
    ports: decodeLftBlock(buf, offset + 8),
  };
}

/** SA MulticastForwardingTableRecord (IBA 15.2.5.8): one block. Host form; 72 bytes big-endian on the wire. */
export interface MftRecord {
  readonly lid: Lid;
  /** 4 bits: which 16 ports the masks speak of. */
  readonly position: number;
  /** 9 bits: multicast LIDs 0xc000 + 32·blockNum …. */
  readonly blockNum: number;
  /** Up to 32 masks of 16 ports. */
  readonly masks: readonly number[];
}

/** Encodes to 72 bytes. Throws `VERBENA_IB_VALUE`. */
export function encodeMftRecord(record: MftRecord): Buffer {
  const buf = Buffer.alloc(TABLE_RECORD_SIZE);
  putU16(buf, 0, record.lid, "MftRecord.lid");
  const position = bits(record.position, 4, "MftRecord.position") << 12;
  putU16(buf, 2, position | bits(record.blockNum, 9, "MftRecord.blockNum"), "MftRecord.blockNum");
  buf.set(encodeMftBlock(record.masks), 8);
  return buf;
}

/** Decodes 72 bytes at `offset`; always 32 masks. Throws `VERBENA_IB_MALFORMED`. */
export function decodeMftRecord(buf: Buffer, offset = 0): MftRecord {
  needBytes("MftRecord", buf, offset, TABLE_RECORD_SIZE);
  const positionBlock = buf.readUInt16BE(offset + 2);
  return {
    lid: buf.readUInt16BE(offset) as Lid,
    position: positionBlock >>> 12,
    blockNum: positionBlock & 0x1ff,
    masks: decodeMftBlock(buf, offset + 8),
  };
}
