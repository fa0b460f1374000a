import { Lid } from "../value/lid.js";
import { badValue, checkLength, malformed, needBytes } from "../wire/check.js";
import { putU16, putU64 } from "../wire/put.js";
import { MAD_SIZE, MgmtClass } from "./constants.js";
import { decodeMadHeader, type MadHeader, writeMadHeader } from "./mad-header.js";

/** Bytes of attribute data in an SMP. */
export const SMP_DATA_SIZE = 64;
/** Offset of the attribute data in an SMP. */
export const SMP_DATA_OFFSET = 64;
/** Longest directed route, in links; a path field has an unused byte 0 and one byte a hop. */
export const SMP_MAX_HOPS = 63;
/** Bit of a directed-route SMP's status that says "on the way back". */
export const SMP_DIRECTION = 0x8000;

/**
 * Subnet management packet (IBA 14.2.1), LID-routed or directed-route. Host form; 256 bytes big-endian on the wire. In a
 * directed-route SMP `classSpecific` holds hop pointer and hop count; see {@link smpHops}.
 */
export interface Smp extends MadHeader {
  readonly mkey: bigint;
  /** Directed route only: LID where the first, where the last LID-routed part ends; 0xffff = none. */
  readonly drSlid: Lid;
  readonly drDlid: Lid;
  /** 64 bytes of attribute. After decoding a view. */
  readonly data: Buffer;
  /** Directed route only: 64 bytes, output port of hop i at index i. After decoding a view. */
  readonly initialPath: Buffer;
  /** Directed route only: 64 bytes, the ports back. After decoding a view. */
  readonly returnPath: Buffer;
}

/** Members of {@link Smp} that have to be given; the others default to zero, versions to 1, the class to LID-routed. */
export type SmpFields = Pick<Smp, "method" | "tid" | "attributeId"> & Partial<Smp>;

const EMPTY = Buffer.alloc(0);

/** Encodes to 256 bytes. Throws `VERBENA_IB_VALUE`. */
export function encodeSmp(smp: SmpFields): Buffer {
  const mgmtClass = smp.mgmtClass ?? MgmtClass.SUBN_LID_ROUTED;
  if (mgmtClass !== MgmtClass.SUBN_LID_ROUTED && mgmtClass !== MgmtClass.SUBN_DIRECTED_ROUTE) {
    throw badValue("Smp.mgmtClass", mgmtClass, "0x01 or 0x81");
  }
  const buf = Buffer.alloc(MAD_SIZE);
  writeMadHeader(buf, 0, {
    baseVersion: smp.baseVersion ?? 1,
    mgmtClass,
    classVersion: smp.classVersion ?? 1,
    method: smp.method,
    status: smp.status ?? 0,
    classSpecific: smp.classSpecific ?? 0,
    tid: smp.tid,
    attributeId: smp.attributeId,
    attributeModifier: smp.attributeModifier ?? 0,
  });
  putU64(buf, 24, smp.mkey ?? 0n, "Smp.mkey");
  putU16(buf, 32, smp.drSlid ?? Lid.zero, "Smp.drSlid");
  putU16(buf, 34, smp.drDlid ?? Lid.zero, "Smp.drDlid");
  buf.set(checkLength(smp.data ?? EMPTY, SMP_DATA_SIZE, "Smp.data"), SMP_DATA_OFFSET);
  buf.set(checkLength(smp.initialPath ?? EMPTY, 64, "Smp.initialPath"), 128);
  buf.set(checkLength(smp.returnPath ?? EMPTY, 64, "Smp.returnPath"), 192);
  return buf;
}

/** Decodes 256 bytes; refuses other management classes, judges nothing else. Throws `VERBENA_IB_MALFORMED`. */
export function decodeSmp(buf: Buffer, offset = 0): Smp {
  needBytes("Smp", buf, offset, MAD_SIZE);
  const header = decodeMadHeader(buf, offset);
  if (header.mgmtClass !== MgmtClass.SUBN_LID_ROUTED && header.mgmtClass !== MgmtClass.SUBN_DIRECTED_ROUTE) {
    throw malformed("Smp", "management class 0x01 or 0x81", `class ${header.mgmtClass}`);
  }
  // Member by member: a spread of the header costs microseconds, and a subnet sweep is all SMPs.
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
    mkey: buf.readBigUInt64BE(offset + 24),
    drSlid: buf.readUInt16BE(offset + 32) as Lid,
    drDlid: buf.readUInt16BE(offset + 34) as Lid,
    data: buf.subarray(offset + SMP_DATA_OFFSET, offset + SMP_DATA_OFFSET + SMP_DATA_SIZE),
    initialPath: buf.subarray(offset + 128, offset + 192),
    returnPath: buf.subarray(offset + 192, offset + 256),
  };
}

/** Hop pointer (byte 6) and hop count (byte 7) of a directed-route SMP. */
export function smpHops(smp: Pick<Smp, "classSpecific">): { readonly pointer: number; readonly count: number } {
  return { pointer: smp.classSpecific >>> 8, count: smp.classSpecific & 0xff };
}
