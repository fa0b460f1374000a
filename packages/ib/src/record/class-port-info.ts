import { Gid } from "../value/gid.js";
import type { Lid } from "../value/lid.js";
import type { PKey } from "../value/pkey.js";
import { needBytes } from "../wire/check.js";
import { bits, putU8, putU16, putU24, putU32 } from "../wire/put.js";

/** Bytes of ClassPortInfo on the wire. */
export const CLASS_PORT_INFO_SIZE = 72;

/** Where a manager wants requests or traps sent. Host form. */
export interface ClassRedirect {
  readonly gid: Gid;
  readonly tclass: number;
  /** 4 bits. */
  readonly sl: number;
  /** 20 bits. */
  readonly flowLabel: number;
  readonly lid: Lid;
  readonly pkey: PKey;
  /** 8 bits; only in the trap half, 0 in the redirect half. */
  readonly hopLimit: number;
  /** 24 bits. */
  readonly qpn: number;
  readonly qkey: number;
}

/** ClassPortInfo (IBA 13.4.8.1). Host form; 72 bytes big-endian on the wire. */
export interface ClassPortInfo {
  readonly baseVersion: number;
  readonly classVersion: number;
  readonly capabilityMask: number;
  /** 27 bits. */
  readonly capabilityMask2: number;
  /** 5 bits: 4.096 µs × 2^code. */
  readonly respTimeValue: number;
  readonly redirect: ClassRedirect;
  readonly trap: ClassRedirect;
}

/** Bits of an SA's {@link ClassPortInfo.capabilityMask}. */
export const SaCapability = {
  OPTIONAL_RECORDS: 0x100,
  UD_MULTICAST: 0x200,
  MULTI_PATH: 0x400,
  REINIT: 0x800,
  PORT_INFO_CAP_MASK_MATCH: 0x2000,
} as const;

/** Encodes to 72 bytes. Throws `VERBENA_IB_VALUE`. */
export function encodeClassPortInfo(info: ClassPortInfo): Buffer {
  const buf = Buffer.alloc(CLASS_PORT_INFO_SIZE);
  putU8(buf, 0, info.baseVersion, "ClassPortInfo.baseVersion");
  putU8(buf, 1, info.classVersion, "ClassPortInfo.classVersion");
  putU16(buf, 2, info.capabilityMask, "ClassPortInfo.capabilityMask");
  const mask2 = bits(info.capabilityMask2, 27, "ClassPortInfo.capabilityMask2");
  const resp = bits(info.respTimeValue, 5, "ClassPortInfo.respTimeValue");
  putU32(buf, 4, ((mask2 << 5) | resp) >>> 0, "ClassPortInfo.capabilityMask2");
  writeRedirect(buf, 8, info.redirect, "ClassPortInfo.redirect");
  writeRedirect(buf, 40, info.trap, "ClassPortInfo.trap");
  return buf;
}

/** Decodes 72 bytes at `offset`. Throws `VERBENA_IB_MALFORMED`. */
export function decodeClassPortInfo(buf: Buffer, offset = 0): ClassPortInfo {
  needBytes("ClassPortInfo", buf, offset, CLASS_PORT_INFO_SIZE);
  const mask2Resp = buf.readUInt32BE(offset + 4);
  return {
    baseVersion: buf.readUInt8(offset),
    classVersion: buf.readUInt8(offset + 1),
    capabilityMask: buf.readUInt16BE(offset + 2),
    capabilityMask2: mask2Resp >>> 5,
    respTimeValue: mask2Resp & 0x1f,
    redirect: readRedirect(buf, offset + 8),
    trap: readRedirect(buf, offset + 40),
  };
}

/** A redirect half that says "nowhere else". */
export function emptyClassRedirect(): ClassRedirect {
  return readRedirect(Buffer.alloc(32), 0);
}

function writeRedirect(buf: Buffer, o: number, r: ClassRedirect, field: string): void {
  Gid.write(buf, o, r.gid);
  putU8(buf, o + 16, r.tclass, `${field}.tclass`);
  putU24(buf, o + 17, (bits(r.sl, 4, `${field}.sl`) << 20) | bits(r.flowLabel, 20, `${field}.flowLabel`), field);
  putU16(buf, o + 20, r.lid, `${field}.lid`);
  putU16(buf, o + 22, r.pkey, `${field}.pkey`);
  putU8(buf, o + 24, r.hopLimit, `${field}.hopLimit`);
  putU24(buf, o + 25, r.qpn, `${field}.qpn`);
  putU32(buf, o + 28, r.qkey, `${field}.qkey`);
}

function readRedirect(buf: Buffer, o: number): ClassRedirect {
  const slFlow = buf.readUIntBE(o + 17, 3);
  return {
    gid: Gid.read(buf, o),
    tclass: buf.readUInt8(o + 16),
    sl: slFlow >>> 20,
    flowLabel: slFlow & 0xf_ffff,
    lid: buf.readUInt16BE(o + 20) as Lid,
    pkey: buf.readUInt16BE(o + 22) as PKey,
    hopLimit: buf.readUInt8(o + 24),
    qpn: buf.readUIntBE(o + 25, 3),
    qkey: buf.readUInt32BE(o + 28),
  };
}
