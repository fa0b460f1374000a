import { Gid } from "../value/gid.js";
import type { Lid } from "../value/lid.js";
import type { PKey } from "../value/pkey.js";
import { badValue, malformed, needBytes } from "../wire/check.js";
import { bits, putU8, putU16, putU24, putU32 } from "../wire/put.js";
import {
  EXTENDED_HEADER_NAMES,
  type ExtendedHeaders,
  extendedSize,
  readExtended,
  writeExtended,
} from "./extended-headers.js";
import { bthOpcodeName, extendedHeadersOf } from "./opcodes.js";

/** Bytes of the local route header. */
export const LRH_SIZE = 8;
/** Bytes of the global route header. */
export const GRH_SIZE = 40;
/** Bytes of the base transport header. */
export const BTH_SIZE = 12;
/** Local route header (IBA 7.7). */
export interface Lrh {
  /** 4 bits. */
  readonly vl: number;
  /** 4 bits. */
  readonly sl: number;
  readonly dlid: Lid;
  readonly slid: Lid;
}

/** Global route header (IBA 8.3). */
export interface Grh {
  readonly tclass: number;
  /** 20 bits. */
  readonly flowLabel: number;
  readonly hopLimit: number;
  readonly sgid: Gid;
  readonly dgid: Gid;
}

/** Base transport header (IBA 9.2). */
export interface Bth {
  /** See {@link BthOpcode}. */
  readonly opcode: number;
  /** Solicited event: wakes a receiver that asked for those only. */
  readonly solicited: boolean;
  /** Path migration state of connected services. */
  readonly migration: boolean;
  readonly pkey: PKey;
  /** 24 bits; 0xffffff = multicast. */
  readonly destQpn: number;
  /** The sender wants an acknowledgement (reliable services). */
  readonly ackRequest: boolean;
  /** 24 bits. */
  readonly psn: number;
}

/**
 * An InfiniBand packet in host form. On the (simulated) wire: LRH 8, GRH 40 if present, BTH 12, the extended headers of its opcode (DETH 8,
 * RETH 16, AtomicETH 28, AETH 4, AtomicAckETH 8, ImmDt 4), payload, zero to three bytes of padding; all big-endian. The CRCs are left out;
 * the length fields count the invariant one, as on a real wire. Of transports other than RC, UC and UD the payload begins behind the BTH.
 */
export interface IbPacket extends ExtendedHeaders {
  readonly lrh: Lrh;
  readonly grh?: Grh;
  readonly bth: Bth;
  readonly payload: Buffer;
}

const LNH_BTH = 2;
const LNH_GRH = 3;
/** GRH next header: an IBA transport header follows. */
const NEXT_HEADER_BTH = 0x1b;
const ICRC_SIZE = 4;
/** LRH packet length: 11 bits of 4-byte words. */
const MAX_PACKET_WORDS = 0x7ff;

/** Encodes a packet. Throws `VERBENA_IB_VALUE`, also if headers and opcode do not go together. */
export function encodeIbPacket(packet: IbPacket): Buffer {
  const { lrh, grh, bth, payload } = packet;
  const extended = extendedHeadersOf(bth.opcode);
  for (const name of EXTENDED_HEADER_NAMES) {
    if (extended.includes(name) !== (packet[name] !== undefined))
      throw badValue(
        `IbPacket.${name}`,
        packet[name],
        `present exactly for the opcodes that have it, ${bthOpcodeName(bth.opcode)}`,
      );
  }
  const pad = -payload.length & 3;
  const bthAt = LRH_SIZE + (grh === undefined ? 0 : GRH_SIZE);
  const payloadAt = bthAt + BTH_SIZE + extendedSize(extended);
  const size = payloadAt + payload.length + pad;
  const words = (size + ICRC_SIZE) / 4;
  if (words > MAX_PACKET_WORDS)
    throw badValue("IbPacket.payload.length", payload.length, "a packet of at most 8188 bytes");
  const buf = Buffer.alloc(size);
  buf[0] = bits(lrh.vl, 4, "Lrh.vl") << 4;
  buf[1] = (bits(lrh.sl, 4, "Lrh.sl") << 4) | (grh === undefined ? LNH_BTH : LNH_GRH);
  putU16(buf, 2, lrh.dlid, "Lrh.dlid");
  putU16(buf, 4, words, "Lrh.length");
  putU16(buf, 6, lrh.slid, "Lrh.slid");
  if (grh !== undefined) writeGrh(buf, LRH_SIZE, grh, size - bthAt + ICRC_SIZE);
  writeBth(buf, bthAt, bth, pad);
  writeExtended(buf, bthAt + BTH_SIZE, extended, packet);
  buf.set(payload, payloadAt);
  return buf;
}

/** Writes 40 bytes of GRH; `payloadLength` is what follows it, invariant CRC included. Throws `VERBENA_IB_VALUE`. */
export function writeGrh(buf: Buffer, offset: number, grh: Grh, payloadLength: number): void {
  needBytes("Grh", buf, offset, GRH_SIZE);
  const tclass = bits(grh.tclass, 8, "Grh.tclass");
  putU32(buf, offset, ((6 << 28) | (tclass << 20) | bits(grh.flowLabel, 20, "Grh.flowLabel")) >>> 0, "Grh");
  putU16(buf, offset + 4, payloadLength, "Grh.payloadLength");
  buf[offset + 6] = NEXT_HEADER_BTH;
  putU8(buf, offset + 7, grh.hopLimit, "Grh.hopLimit");
  Gid.write(buf, offset + 8, grh.sgid);
  Gid.write(buf, offset + 24, grh.dgid);
}

/** Decodes 40 bytes of GRH at `offset`, as the first 40 bytes of a UD receive buffer hold it. Throws `VERBENA_IB_MALFORMED`. */
export function decodeGrh(buf: Buffer, offset = 0): Grh {
  needBytes("Grh", buf, offset, GRH_SIZE);
  const word = buf.readUInt32BE(offset);
  return {
    tclass: (word >>> 20) & 0xff,
    flowLabel: word & 0xf_ffff,
    hopLimit: buf.readUInt8(offset + 7),
    sgid: Gid.read(buf, offset + 8),
    dgid: Gid.read(buf, offset + 24),
  };
}

function writeBth(buf: Buffer, offset: number, bth: Bth, pad: number): void {
  putU8(buf, offset, bth.opcode, "Bth.opcode");
  buf[offset + 1] = (bth.solicited ? 0x80 : 0) | (bth.migration ? 0x40 : 0) | (pad << 4);
  putU16(buf, offset + 2, bth.pkey, "Bth.pkey");
  putU24(buf, offset + 5, bth.destQpn, "Bth.destQpn");
  buf[offset + 8] = bth.ackRequest ? 0x80 : 0;
  putU24(buf, offset + 9, bth.psn, "Bth.psn");
}

/**
 * Decodes one packet that fills `buf`. The payload is a view, without padding. Throws `VERBENA_IB_MALFORMED` for a length field that
 * does not fit, raw packets and unknown link versions.
 */
export function decodeIbPacket(buf: Buffer): IbPacket {
  needBytes("IbPacket", buf, 0, LRH_SIZE + BTH_SIZE);
  const vlVersion = buf.readUInt8(0);
  const slNext = buf.readUInt8(1);
  const next = slNext & 3;
  if ((vlVersion & 0xf) !== 0) throw malformed("IbPacket", "link version 0", `version ${vlVersion & 0xf}`);
  if (next !== LNH_BTH && next !== LNH_GRH) throw malformed("IbPacket", "next header 2 or 3", `next header ${next}`);
  const length = (buf.readUInt16BE(4) & MAX_PACKET_WORDS) * 4 - ICRC_SIZE;
  if (length !== buf.length) throw malformed("IbPacket", `${length} bytes`, `${buf.length} bytes`);
  const lrh: Lrh = {
    vl: vlVersion >>> 4,
    sl: slNext >>> 4,
    dlid: buf.readUInt16BE(2) as Lid,
    slid: buf.readUInt16BE(6) as Lid,
  };
  const grh = next === LNH_GRH ? decodeGrh(buf, LRH_SIZE) : undefined;
  const bthAt = LRH_SIZE + (grh === undefined ? 0 : GRH_SIZE);
  needBytes("IbPacket.bth", buf, bthAt, BTH_SIZE);
  const flags = buf.readUInt8(bthAt + 1);
  const bth: Bth = {
    opcode: buf.readUInt8(bthAt),
    solicited: (flags & 0x80) !== 0,
    migration: (flags & 0x40) !== 0,
    pkey: buf.readUInt16BE(bthAt + 2) as PKey,
    destQpn: buf.readUIntBE(bthAt + 5, 3),
    ackRequest: (buf.readUInt8(bthAt + 8) & 0x80) !== 0,
    psn: buf.readUIntBE(bthAt + 9, 3),
  };
  const names = extendedHeadersOf(bth.opcode);
  const extended = readExtended(buf, bthAt + BTH_SIZE, names);
  const at = bthAt + BTH_SIZE + extendedSize(names);
  const end = buf.length - ((flags >>> 4) & 3);
  if (end < at) throw malformed("IbPacket", `at least ${at} bytes before the padding`, `${end} bytes`);
  return {
    lrh,
    ...(grh === undefined ? {} : { grh }),
    bth,
    ...extended,
    payload: buf.subarray(at, end),
  };
}
