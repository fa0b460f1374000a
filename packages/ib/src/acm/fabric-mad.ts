import { MAD_SIZE, MadMethod, MgmtClass } from "../mad/constants.js";
import { Gid } from "../value/gid.js";
import type { Mtu } from "../value/mtu.js";
import { PKey } from "../value/pkey.js";
import type { Rate } from "../value/rate.js";
import { badValue, checkUint, needBytes } from "../wire/check.js";
import { putBytes, putU8, putU16, putU64 } from "../wire/put.js";
import { ACM_ADDRESS_SIZE } from "./constants.js";

/** GIDs that fit an ACM MAD: the record formally goes on behind the 256 bytes there are. */
export const ACM_MAX_GIDS = 6;

/** Value of {@link AcmMad.control} for the only operation there is. */
export const ACM_CONTROL_RESOLVE = 0x0001;

/** ACM fabric protocol message, carried in UD packets between daemons. Host form; 256 bytes big-endian on the wire. */
export interface AcmMad {
  /** 1. */
  readonly baseVersion: number;
  /** 0x2c. */
  readonly mgmtClass: number;
  /** 1. */
  readonly classVersion: number;
  /** Get 0x01 or GetResp 0x81. */
  readonly method: number;
  /** 16 bits; the high byte is the ACM status. */
  readonly status: number;
  /** See {@link ACM_CONTROL_RESOLVE}. */
  readonly control: number;
  readonly tid: bigint;
  /** ACM address type, 0 in responses. */
  readonly destType: number;
  /** 64 in requests, 0 in responses, whatever the type. */
  readonly destLength: number;
  readonly srcType: number;
  readonly srcLength: number;
  readonly respResources: number;
  readonly initDepth: number;
  /** 64 bytes, zero-padded. */
  readonly destAddress: Buffer;
  /** 64 bytes, zero-padded. */
  readonly srcAddress: Buffer;
  /** Multicast groups, lowest preference first; in a response the chosen one. At most 6. */
  readonly gids: readonly Gid[];
}

/** Members of {@link AcmMad} that have to be given; the others default to a Get of zeros. */
export type AcmMadFields = Pick<AcmMad, "tid" | "gids"> & Partial<AcmMad>;

const EMPTY = Buffer.alloc(0);

/** Encodes to 256 bytes. Throws `VERBENA_IB_VALUE`. */
export function encodeAcmMad(mad: AcmMadFields): Buffer {
  const buf = Buffer.alloc(MAD_SIZE);
  putU8(buf, 0, mad.baseVersion ?? 1, "AcmMad.baseVersion");
  putU8(buf, 1, mad.mgmtClass ?? MgmtClass.ACM, "AcmMad.mgmtClass");
  putU8(buf, 2, mad.classVersion ?? 1, "AcmMad.classVersion");
  putU8(buf, 3, mad.method ?? MadMethod.GET, "AcmMad.method");
  putU16(buf, 4, mad.status ?? 0, "AcmMad.status");
  putU16(buf, 6, mad.control ?? ACM_CONTROL_RESOLVE, "AcmMad.control");
  putU64(buf, 8, mad.tid, "AcmMad.tid");
  putU8(buf, 16, mad.destType ?? 0, "AcmMad.destType");
  putU8(buf, 17, mad.destLength ?? 0, "AcmMad.destLength");
  putU8(buf, 18, mad.srcType ?? 0, "AcmMad.srcType");
  putU8(buf, 19, mad.srcLength ?? 0, "AcmMad.srcLength");
  if (mad.gids.length > ACM_MAX_GIDS) throw badValue("AcmMad.gids.length", mad.gids.length, "0…6");
  putU8(buf, 20, mad.gids.length, "AcmMad.gids.length");
  putU8(buf, 21, mad.respResources ?? 0, "AcmMad.respResources");
  putU8(buf, 22, mad.initDepth ?? 0, "AcmMad.initDepth");
  putBytes(buf, 24, mad.destAddress ?? EMPTY, ACM_ADDRESS_SIZE, "AcmMad.destAddress");
  putBytes(buf, 88, mad.srcAddress ?? EMPTY, ACM_ADDRESS_SIZE, "AcmMad.srcAddress");
  for (const [i, gid] of mad.gids.entries()) Gid.write(buf, 152 + i * 16, gid);
  return buf;
}

/**
 * Decodes 256 bytes at `offset` (a UD receive buffer has them behind 40 bytes of GRH). Address members are views. Versions, class,
 * method and control are returned, not judged; a GID count above 6 is cut to the 6 that exist. Throws `VERBENA_IB_MALFORMED`.
 */
export function decodeAcmMad(buf: Buffer, offset = 0): AcmMad {
  needBytes("AcmMad", buf, offset, MAD_SIZE);
  const gids: Gid[] = [];
  const count = Math.min(buf.readUInt8(offset + 20), ACM_MAX_GIDS);
  for (let i = 0; i < count; i++) gids.push(Gid.read(buf, offset + 152 + i * 16));
  return {
    baseVersion: buf.readUInt8(offset),
    mgmtClass: buf.readUInt8(offset + 1),
    classVersion: buf.readUInt8(offset + 2),
    method: buf.readUInt8(offset + 3),
    status: buf.readUInt16BE(offset + 4),
    control: buf.readUInt16BE(offset + 6),
    tid: buf.readBigUInt64BE(offset + 8),
    destType: buf.readUInt8(offset + 16),
    destLength: buf.readUInt8(offset + 17),
    srcType: buf.readUInt8(offset + 18),
    srcLength: buf.readUInt8(offset + 19),
    respResources: buf.readUInt8(offset + 21),
    initDepth: buf.readUInt8(offset + 22),
    destAddress: buf.subarray(offset + 24, offset + 88),
    srcAddress: buf.subarray(offset + 88, offset + 152),
    gids,
  };
}

/** Transient, site-local, and the signature of the protocol. */
const ACM_MGID_PREFIX = 0xff15_4001n;

/**
 * MGID of an ACM multicast group: ff15:4001, P_Key with the full-member bit, TOS, rate code, MTU code, zeros. Nodes that differ in
 * any of these do not hear each other. `sl`, in the byte behind the MTU code, tells groups apart that differ in nothing else; it is
 * Verbena's own and 0 in all groups of ibacm. Throws `VERBENA_IB_VALUE`.
 */
export function acmMgid(group: {
  readonly pkey: PKey;
  readonly tos?: number;
  readonly rate: Rate;
  readonly mtu: Mtu;
  /** 4 bits. */
  readonly sl?: number;
}): Gid {
  const pkey = checkUint(group.pkey, 0xffff, "acmMgid.pkey") | 0x8000;
  const tos = checkUint(group.tos ?? 0, 0xff, "acmMgid.tos");
  const rate = checkUint(group.rate, 0xff, "acmMgid.rate");
  const mtu = checkUint(group.mtu, 0xff, "acmMgid.mtu");
  const sl = checkUint(group.sl ?? 0, 0xf, "acmMgid.sl");
  const prefix = (ACM_MGID_PREFIX << 32n) | BigInt(pkey * 0x1_0000 + tos * 0x100 + rate);
  return Gid.of(prefix, BigInt(mtu * 0x100 + sl) << 48n);
}

/** What {@link acmMgid} was made of, P_Key with the full-member bit; `undefined` for any other GID. Rate and MTU codes as they are, known or not. */
export function parseAcmMgid(
  gid: Gid,
):
  | { readonly pkey: PKey; readonly tos: number; readonly rate: Rate; readonly mtu: Mtu; readonly sl: number }
  | undefined {
  const [head, tail] = [Gid.prefix(gid), Gid.guid(gid)];
  const byte = (of: bigint, index: number): number => Number((of >> BigInt(8 * (7 - index))) & 0xffn);
  const pkey = byte(head, 4) * 0x100 + byte(head, 5);
  const sl = byte(tail, 1);
  const hasTail = (tail & 0xffff_ffff_ffffn) !== 0n;
  if (head >> 32n !== ACM_MGID_PREFIX || (pkey & 0x8000) === 0 || sl > 0xf || hasTail) return undefined;
  return {
    pkey: PKey.from(pkey),
    tos: byte(head, 6),
    rate: byte(head, 7) as Rate,
    mtu: byte(tail, 0) as Mtu,
    sl,
  };
}
