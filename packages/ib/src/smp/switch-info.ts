import { needBytes } from "../wire/check.js";
import { bits, putU8, putU16 } from "../wire/put.js";

/** Bytes of SwitchInfo on the wire. */
export const SWITCH_INFO_SIZE = 20;

/** SM SwitchInfo (IBA 14.2.5.4). Host form; 20 bytes big-endian on the wire. */
export interface SwitchInfo {
  /** Entries the linear forwarding table can hold. */
  readonly linearFdbCap: number;
  readonly randomFdbCap: number;
  readonly multicastFdbCap: number;
  /** Highest LID programmed in the linear table. */
  readonly linearFdbTop: number;
  readonly defaultPort: number;
  readonly defaultMulticastPrimaryPort: number;
  readonly defaultMulticastNotPrimaryPort: number;
  /** 5 bits. */
  readonly lifeTimeValue: number;
  /** Set by the switch when a port changes state; writing true clears it. */
  readonly portStateChange: boolean;
  /** 2 bits. */
  readonly optimizedSlToVlMapping: number;
  readonly lidsPerPort: number;
  readonly partitionEnforcementCap: number;
  /** 8 bits: inbound, outbound enforcement, inbound, outbound raw filter, enhanced port 0, from the top bit. */
  readonly flags: number;
  /** Highest multicast LID programmed. */
  readonly multicastFdbTop: number;
}

/** Bit of {@link SwitchInfo.flags}: port 0 behaves like a channel adapter's port. */
export const SWITCH_ENHANCED_PORT_0 = 0x08;

/** A SwitchInfo with every field zero or false; with `fields`, those set. */
export function emptySwitchInfo(fields: Partial<SwitchInfo> = {}): SwitchInfo {
  return { ...decodeSwitchInfo(Buffer.alloc(SWITCH_INFO_SIZE)), ...fields };
}

/** Encodes to 20 bytes. Throws `VERBENA_IB_VALUE`. */
export function encodeSwitchInfo(s: SwitchInfo): Buffer {
  const buf = Buffer.alloc(SWITCH_INFO_SIZE);
  putU16(buf, 0, s.linearFdbCap, "SwitchInfo.linearFdbCap");
  putU16(buf, 2, s.randomFdbCap, "SwitchInfo.randomFdbCap");
  putU16(buf, 4, s.multicastFdbCap, "SwitchInfo.multicastFdbCap");
  putU16(buf, 6, s.linearFdbTop, "SwitchInfo.linearFdbTop");
  putU8(buf, 8, s.defaultPort, "SwitchInfo.defaultPort");
  putU8(buf, 9, s.defaultMulticastPrimaryPort, "SwitchInfo.defaultMulticastPrimaryPort");
  putU8(buf, 10, s.defaultMulticastNotPrimaryPort, "SwitchInfo.defaultMulticastNotPrimaryPort");
  buf[11] =
    (bits(s.lifeTimeValue, 5, "SwitchInfo.lifeTimeValue") << 3) |
    (s.portStateChange ? 4 : 0) |
    bits(s.optimizedSlToVlMapping, 2, "SwitchInfo.optimizedSlToVlMapping");
  putU16(buf, 12, s.lidsPerPort, "SwitchInfo.lidsPerPort");
  putU16(buf, 14, s.partitionEnforcementCap, "SwitchInfo.partitionEnforcementCap");
  putU8(buf, 16, s.flags, "SwitchInfo.flags");
  putU16(buf, 18, s.multicastFdbTop, "SwitchInfo.multicastFdbTop");
  return buf;
}

/** Decodes 20 bytes at `offset`. Throws `VERBENA_IB_MALFORMED`. */
export function decodeSwitchInfo(buf: Buffer, offset = 0): SwitchInfo {
  needBytes("SwitchInfo", buf, offset, SWITCH_INFO_SIZE);
  const life = buf.readUInt8(offset + 11);
  return {
    linearFdbCap: buf.readUInt16BE(offset),
    randomFdbCap: buf.readUInt16BE(offset + 2),
    multicastFdbCap: buf.readUInt16BE(offset + 4),
    linearFdbTop: buf.readUInt16BE(offset + 6),
    defaultPort: buf.readUInt8(offset + 8),
    defaultMulticastPrimaryPort: buf.readUInt8(offset + 9),
    defaultMulticastNotPrimaryPort: buf.readUInt8(offset + 10),
    lifeTimeValue: life >>> 3,
    portStateChange: (life & 4) !== 0,
    optimizedSlToVlMapping: life & 3,
    lidsPerPort: buf.readUInt16BE(offset + 12),
    partitionEnforcementCap: buf.readUInt16BE(offset + 14),
    flags: buf.readUInt8(offset + 16),
    multicastFdbTop: buf.readUInt16BE(offset + 18),
  };
}
