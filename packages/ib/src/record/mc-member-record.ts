import { Gid } from "../value/gid.js";
import { Lid } from "../value/lid.js";
import { Mtu } from "../value/mtu.js";
import { PKey } from "../value/pkey.js";
import { Rate } from "../value/rate.js";
import { needBytes } from "../wire/check.js";
import { bits, putU8, putU16, putU32 } from "../wire/put.js";
import { Selector } from "./selector.js";

/** Bytes of an MCMemberRecord on the wire (SA tables pad it to 56). */
export const MC_MEMBER_RECORD_SIZE = 52;

/** Bits of {@link McMemberRecord.joinState}. */
export const JoinState = {
  /** Sends and receives; keeps the group alive. */
  FULL_MEMBER: 1,
  /** Sends and receives, without keeping the group alive. */
  NON_MEMBER: 2,
  /** Sends only, without keeping the group alive. */
  SEND_ONLY_NON_MEMBER: 4,
  /** Sends only, keeps the group alive. */
  SEND_ONLY_FULL_MEMBER: 8,
} as const;

/** SA MCMemberRecord (IBA 15.2.5.17). Host form; 52 bytes big-endian on the wire. */
export interface McMemberRecord {
  readonly mgid: Gid;
  /** GID of the joining port. */
  readonly portGid: Gid;
  /** 32 bits. */
  readonly qkey: number;
  /** Multicast LID of the group; the SA chooses it. */
  readonly mlid: Lid;
  readonly mtuSelector: Selector;
  readonly mtu: Mtu;
  readonly tclass: number;
  readonly pkey: PKey;
  readonly rateSelector: Selector;
  readonly rate: Rate;
  readonly packetLifeTimeSelector: Selector;
  /** 6 bits; 4.096 µs × 2^code. */
  readonly packetLifeTime: number;
  /** 4 bits. */
  readonly sl: number;
  /** 20 bits. */
  readonly flowLabel: number;
  readonly hopLimit: number;
  /** 4 bits: 2 link-local, 5 site-local, 8 organisation-local, 14 global. */
  readonly scope: number;
  /** 4 bits, see {@link JoinState}. */
  readonly joinState: number;
  /** Joined on behalf of another port; computed by the SA. */
  readonly proxyJoin: boolean;
}

/** An MCMemberRecord with every field zero or false; with `fields`, those set. */
export function emptyMcMemberRecord(fields: Partial<McMemberRecord> = {}): McMemberRecord {
  return {
    mgid: Gid.zero,
    portGid: Gid.zero,
    qkey: 0,
    mlid: Lid.zero,
    mtuSelector: Selector.GREATER,
    mtu: Mtu.zero,
    tclass: 0,
    pkey: PKey.zero,
    rateSelector: Selector.GREATER,
    rate: Rate.zero,
    packetLifeTimeSelector: Selector.GREATER,
    packetLifeTime: 0,
    sl: 0,
    flowLabel: 0,
    hopLimit: 0,
    scope: 0,
    joinState: 0,
    proxyJoin: false,
    ...fields,
  };
}

/** Encodes to 52 bytes. Throws `VERBENA_IB_VALUE`. */
export function encodeMcMemberRecord(r: McMemberRecord): Buffer {
  const buf = Buffer.alloc(MC_MEMBER_RECORD_SIZE);
  Gid.write(buf, 0, r.mgid);
  Gid.write(buf, 16, r.portGid);
  putU32(buf, 32, r.qkey, "McMemberRecord.qkey");
  putU16(buf, 36, r.mlid, "McMemberRecord.mlid");
  buf[38] = (bits(r.mtuSelector, 2, "McMemberRecord.mtuSelector") << 6) | bits(r.mtu, 6, "McMemberRecord.mtu");
  putU8(buf, 39, r.tclass, "McMemberRecord.tclass");
  putU16(buf, 40, r.pkey, "McMemberRecord.pkey");
  buf[42] = (bits(r.rateSelector, 2, "McMemberRecord.rateSelector") << 6) | bits(r.rate, 6, "McMemberRecord.rate");
  buf[43] =
    (bits(r.packetLifeTimeSelector, 2, "McMemberRecord.packetLifeTimeSelector") << 6) |
    bits(r.packetLifeTime, 6, "McMemberRecord.packetLifeTime");
  const flow = bits(r.flowLabel, 20, "McMemberRecord.flowLabel") << 8;
  const slFlow = (bits(r.sl, 4, "McMemberRecord.sl") << 28) | flow;
  putU32(buf, 44, (slFlow | bits(r.hopLimit, 8, "McMemberRecord.hopLimit")) >>> 0, "McMemberRecord.sl");
  buf[48] = (bits(r.scope, 4, "McMemberRecord.scope") << 4) | bits(r.joinState, 4, "McMemberRecord.joinState");
  buf[49] = r.proxyJoin ? 0x80 : 0;
  return buf;
}

/** Decodes 52 bytes at `offset`; reserved bits are ignored. Throws `VERBENA_IB_MALFORMED`. */
export function decodeMcMemberRecord(buf: Buffer, offset = 0): McMemberRecord {
  needBytes("McMemberRecord", buf, offset, MC_MEMBER_RECORD_SIZE);
  const mtu = buf.readUInt8(offset + 38);
  const rate = buf.readUInt8(offset + 42);
  const life = buf.readUInt8(offset + 43);
  const slFlowHop = buf.readUInt32BE(offset + 44);
  const scopeState = buf.readUInt8(offset + 48);
  return {
    mgid: Gid.read(buf, offset),
    portGid: Gid.read(buf, offset + 16),
    qkey: buf.readUInt32BE(offset + 32),
    mlid: buf.readUInt16BE(offset + 36) as Lid,
    mtuSelector: (mtu >>> 6) as Selector,
    mtu: (mtu & 0x3f) as Mtu,
    tclass: buf.readUInt8(offset + 39),
    pkey: buf.readUInt16BE(offset + 40) as PKey,
    rateSelector: (rate >>> 6) as Selector,
    rate: (rate & 0x3f) as Rate,
    packetLifeTimeSelector: (life >>> 6) as Selector,
    packetLifeTime: life & 0x3f,
    sl: slFlowHop >>> 28,
    flowLabel: (slFlowHop >>> 8) & 0xf_ffff,
    hopLimit: slFlowHop & 0xff,
    scope: scopeState >>> 4,
    joinState: scopeState & 0xf,
    proxyJoin: buf.readUInt8(offset + 49) >= 0x80,
  };
}
