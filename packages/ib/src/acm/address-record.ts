import { decodePathRecord, type PathRecord, writePathRecord } from "../record/path-record.js";
import { Gid } from "../value/gid.js";
import type { Lid } from "../value/lid.js";
import { badValue, checkUint, needBytes } from "../wire/check.js";
import { readU16Host, readU32Host, writeU16Host, writeU32Host } from "../wire/host-order.js";
import { putBytes, putU16 } from "../wire/put.js";
import { putText, readText } from "../wire/text.js";
import { ACM_ADDRESS_SIZE, ACM_RECORD_SIZE, ACM_TYPE } from "./constants.js";

/**
 * Address record of the ACM client protocol, 72 bytes: flags (32 bits, host order), type (16, host order), 16 reserved, 64 bytes of
 * address. The tail behind an address counts: addresses are compared as 64 bytes, and it must be zero.
 */
export interface AcmAddressRecord {
  /** See `ACM_FLAG`, in PATH records of replies `ACM_PATH_FLAG`. */
  readonly flags: number;
  /** See `ACM_TYPE`; others pass as data. */
  readonly type: number;
  /** 64 bytes as on the wire. After decoding a view of the message, not a copy. */
  readonly info: Buffer;
}

/** What an {@link AcmAddressRecord} says, by type. */
export type AcmAddress =
  | { readonly type: "name"; readonly name: string }
  /** 4 bytes in network order. */
  | { readonly type: "ip4"; readonly address: Buffer }
  /** 16 bytes in network order. */
  | { readonly type: "ip6"; readonly address: Buffer }
  | { readonly type: "gid"; readonly gid: Gid }
  | { readonly type: "lid"; readonly lid: Lid }
  | { readonly type: "path"; readonly path: PathRecord }
  /** A type this version does not know. */
  | { readonly type: "unknown"; readonly code: number; readonly info: Buffer };

/** Decodes 72 bytes at `offset`; `info` is a view. Throws `VERBENA_IB_MALFORMED`. */
export function decodeAcmAddressRecord(buf: Buffer, offset = 0): AcmAddressRecord {
  needBytes("AcmAddressRecord", buf, offset, ACM_RECORD_SIZE);
  return {
    flags: readU32Host(buf, offset),
    type: readU16Host(buf, offset + 4),
    info: buf.subarray(offset + 8, offset + ACM_RECORD_SIZE),
  };
}

/** Writes 72 bytes at `offset` of a zeroed buffer. Throws `VERBENA_IB_VALUE`/`_MALFORMED`. */
export function writeAcmAddressRecord(buf: Buffer, offset: number, record: AcmAddressRecord): void {
  needBytes("AcmAddressRecord", buf, offset, ACM_RECORD_SIZE);
  writeU32Host(buf, offset, checkUint(record.flags, 0xffff_ffff, "AcmAddressRecord.flags"));
  writeU16Host(buf, offset + 4, checkUint(record.type, 0xffff, "AcmAddressRecord.type"));
  putBytes(buf, offset + 8, record.info, ACM_ADDRESS_SIZE, "AcmAddressRecord.info");
}

/** Writes a PATH record of a reply, 72 bytes at `offset` of a zeroed buffer, without a detour over a separate path buffer. */
export function writeAcmPathRecord(buf: Buffer, offset: number, flags: number, path: PathRecord): void {
  needBytes("AcmAddressRecord", buf, offset, ACM_RECORD_SIZE);
  writeU32Host(buf, offset, checkUint(flags, 0xffff_ffff, "AcmAddressRecord.flags"));
  writeU16Host(buf, offset + 4, ACM_TYPE.PATH);
  writePathRecord(buf, offset + 8, path);
}

/** Reads what a record says. Byte members are views. Throws `VERBENA_IB_MALFORMED` if `info` is not 64 bytes. */
export function acmAddressOf(record: Pick<AcmAddressRecord, "type" | "info">): AcmAddress {
  const { type, info } = record;
  needBytes("AcmAddressRecord.info", info, 0, ACM_ADDRESS_SIZE);
  switch (type) {
    case ACM_TYPE.NAME:
      return { type: "name", name: readText(info, 0, ACM_ADDRESS_SIZE) };
    case ACM_TYPE.IP4:
      return { type: "ip4", address: info.subarray(0, 4) };
    case ACM_TYPE.IP6:
      return { type: "ip6", address: info.subarray(0, 16) };
    case ACM_TYPE.GID:
      return { type: "gid", gid: Gid.read(info, 0) };
    case ACM_TYPE.LID:
      return { type: "lid", lid: info.readUInt16BE(0) as Lid };
    case ACM_TYPE.PATH:
      return { type: "path", path: decodePathRecord(info, 0) };
    default:
      return { type: "unknown", code: type, info };
  }
}

/** Makes a record from what it shall say. Throws `VERBENA_IB_VALUE` (name over 64 bytes, address of the wrong length …). */
export function acmAddressRecord(flags: number, address: AcmAddress): AcmAddressRecord {
  const info = Buffer.alloc(ACM_ADDRESS_SIZE);
  switch (address.type) {
    case "name":
      putText(info, 0, address.name, ACM_ADDRESS_SIZE, "AcmAddress.name");
      return { flags, type: ACM_TYPE.NAME, info };
    case "ip4":
      putExactly(info, address.address, 4, "AcmAddress.ip4");
      return { flags, type: ACM_TYPE.IP4, info };
    case "ip6":
      putExactly(info, address.address, 16, "AcmAddress.ip6");
      return { flags, type: ACM_TYPE.IP6, info };
    case "gid":
      Gid.write(info, 0, address.gid);
      return { flags, type: ACM_TYPE.GID, info };
    case "lid":
      putU16(info, 0, address.lid, "AcmAddress.lid");
      return { flags, type: ACM_TYPE.LID, info };
    case "path":
      writePathRecord(info, 0, address.path);
      return { flags, type: ACM_TYPE.PATH, info };
    case "unknown":
      return { flags, type: address.code, info: address.info };
  }
}

function putExactly(info: Buffer, bytes: Uint8Array, size: number, field: string): void {
  if (bytes.length !== size) throw badValue(field, `${bytes.length} bytes`, `${size} bytes`);
  info.set(bytes, 0);
}
