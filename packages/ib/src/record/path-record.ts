import { Gid } from "../value/gid.js";
import { Lid } from "../value/lid.js";
import { Mtu } from "../value/mtu.js";
import { PKey } from "../value/pkey.js";
import { Rate } from "../value/rate.js";
import { needBytes } from "../wire/check.js";
import { bits, putU8, putU16, putU32, putU64 } from "../wire/put.js";
import { Selector } from "./selector.js";

/** Bytes of a PathRecord on the wire. */
export const PATH_RECORD_SIZE = 64;

/** SA PathRecord (IBA 15.2.5.16), also the path of the ACM client protocol. Host form; 64 bytes big-endian on the wire. */
export interface PathRecord {
  /** 64 bits; 0 = none. */
  readonly serviceId: bigint;
  readonly dgid: Gid;
  readonly sgid: Gid;
  /** LID to send to; with path bits. */
  readonly dlid: Lid;
  /** LID to send from; with path bits. */
  readonly slid: Lid;
  /** The path is for raw packets. */
  readonly rawTraffic: boolean;
  /** 20 bits. */
  readonly flowLabel: number;
  /** 8 bits. */
  readonly hopLimit: number;
  /** 8 bits. */
  readonly tclass: number;
  /** The same path is valid in the other direction. */
  readonly reversible: boolean;
  /** 7 bits: number of paths wanted; 0 in answers. */
  readonly numbPath: number;
  readonly pkey: PKey;
  /** 12 bits. */
  readonly qosClass: number;
  /** 4 bits. */
  readonly sl: number;
  readonly mtuSelector: Selector;
  readonly mtu: Mtu;
  readonly rateSelector: Selector;
  readonly rate: Rate;
  readonly packetLifeTimeSelector: Selector;
  /** 6 bits; 4.096 µs × 2^code. */
  readonly packetLifeTime: number;
  /** 8 bits; 0 = most preferred. */
  readonly preference: number;
}

/** A PathRecord with every field zero or false; with `fields`, those set. */
export function emptyPathRecord(fields: Partial<PathRecord> = {}): PathRecord {
  return {
    serviceId: 0n,
    dgid: Gid.zero,
    sgid: Gid.zero,
    dlid: Lid.zero,
    slid: Lid.zero,
    rawTraffic: false,
    flowLabel: 0,
    hopLimit: 0,
    tclass: 0,
    reversible: false,
    numbPath: 0,
    pkey: PKey.zero,
    qosClass: 0,
    sl: 0,
    mtuSelector: Selector.GREATER,
    mtu: Mtu.zero,
    rateSelector: Selector.GREATER,
    rate: Rate.zero,
    packetLifeTimeSelector: Selector.GREATER,
    packetLifeTime: 0,
    preference: 0,
    ...fields,
  };
}

/** Writes 64 bytes at `offset`; the caller's buffer must be zero where the record has reserved bits. Throws `VERBENA_IB_VALUE`/`_MALFORMED`. */
export function writePathRecord(buf: Buffer, offset: number, r: PathRecord): void {
  needBytes("PathRecord", buf, offset, PATH_RECORD_SIZE);
  putU64(buf, offset, r.serviceId, "PathRecord.serviceId");
  Gid.write(buf, offset + 8, r.dgid);
  Gid.write(buf, offset + 24, r.sgid);
  putU16(buf, offset + 40, r.dlid, "PathRecord.dlid");
  putU16(buf, offset + 42, r.slid, "PathRecord.slid");
  const flow = bits(r.flowLabel, 20, "PathRecord.flowLabel") << 8;
  const hop = bits(r.hopLimit, 8, "PathRecord.hopLimit");
  putU32(buf, offset + 44, ((r.rawTraffic ? 0x8000_0000 : 0) | flow | hop) >>> 0, "PathRecord.flowLabel");
  putU8(buf, offset + 48, r.tclass, "PathRecord.tclass");
  buf[offset + 49] = (r.reversible ? 0x80 : 0) | bits(r.numbPath, 7, "PathRecord.numbPath");
  putU16(buf, offset + 50, r.pkey, "PathRecord.pkey");
  const qos = bits(r.qosClass, 12, "PathRecord.qosClass") << 4;
  putU16(buf, offset + 52, qos | bits(r.sl, 4, "PathRecord.sl"), "PathRecord.sl");
  buf[offset + 54] = (bits(r.mtuSelector, 2, "PathRecord.mtuSelector") << 6) | bits(r.mtu, 6, "PathRecord.mtu");
  buf[offset + 55] = (bits(r.rateSelector, 2, "PathRecord.rateSelector") << 6) | bits(r.rate, 6, "PathRecord.rate");
  buf[offset + 56] =
    (bits(r.packetLifeTimeSelector, 2, "PathRecord.packetLifeTimeSelector") << 6) |
    bits(r.packetLifeTime, 6, "PathRecord.packetLifeTime");
  putU8(buf, offset + 57, r.preference, "PathRecord.preference");
}

/** Encodes to 64 bytes. Throws `VERBENA_IB_VALUE`. */
export function encodePathRecord(record: PathRecord): Buffer {
  const buf = Buffer.alloc(PATH_RECORD_SIZE);
  writePathRecord(buf, 0, record);
  return buf;
}

/** Decodes 64 bytes at `offset`; reserved bits are ignored. Throws `VERBENA_IB_MALFORMED`. */
export function decodePathRecord(buf: Buffer, offset = 0): PathRecord {
  needBytes("PathRecord", buf, offset, PATH_RECORD_SIZE);
  const rawFlowHop = buf.readUInt32BE(offset + 44);
  const reversibleCount = buf.readUInt8(offset + 49);
  const qosSl = buf.readUInt16BE(offset + 52);
  const mtu = buf.readUInt8(offset + 54);
  const rate = buf.readUInt8(offset + 55);
  const life = buf.readUInt8(offset + 56);
  return {
    serviceId: buf.readBigUInt64BE(offset),
    dgid: Gid.read(buf, offset + 8),
    sgid: Gid.read(buf, offset + 24),
    dlid: buf.readUInt16BE(offset + 40) as Lid,
    slid: buf.readUInt16BE(offset + 42) as Lid,
    rawTraffic: rawFlowHop >>> 31 === 1,
    flowLabel: (rawFlowHop >>> 8) & 0xf_ffff,
    hopLimit: rawFlowHop & 0xff,
    tclass: buf.readUInt8(offset + 48),
    reversible: reversibleCount >= 0x80,
    numbPath: reversibleCount & 0x7f,
    pkey: buf.readUInt16BE(offset + 50) as PKey,
    qosClass: qosSl >>> 4,
    sl: qosSl & 0xf,
    mtuSelector: (mtu >>> 6) as Selector,
    mtu: (mtu & 0x3f) as Mtu,
    rateSelector: (rate >>> 6) as Selector,
    rate: (rate & 0x3f) as Rate,
    packetLifeTimeSelector: (life >>> 6) as Selector,
    packetLifeTime: life & 0x3f,
    preference: buf.readUInt8(offset + 57),
  };
}
