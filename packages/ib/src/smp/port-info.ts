import type { Lid } from "../value/lid.js";
import type { Mtu } from "../value/mtu.js";
import { needBytes } from "../wire/check.js";
import { bits, putU8, putU16, putU24, putU32, putU64 } from "../wire/put.js";

/** Bytes of PortInfo on the wire. */
export const PORT_INFO_SIZE = 64;

/** Values of {@link PortInfo.portState}. */
export const PortState = { NO_CHANGE: 0, DOWN: 1, INIT: 2, ARMED: 3, ACTIVE: 4 } as const;

/** Values of {@link PortInfo.portPhysicalState}. */
export const PortPhysicalState = {
  NO_CHANGE: 0,
  SLEEP: 1,
  POLLING: 2,
  DISABLED: 3,
  TRAINING: 4,
  LINK_UP: 5,
  ERROR_RECOVERY: 6,
} as const;

/** Bits of {@link PortInfo.capabilityMask} that this project uses (IBA 14.2.5.6). */
export const PortCapability = {
  IS_SM: 0x2,
  IS_NOTICE: 0x4,
  IS_TRAP: 0x8,
  IS_AUTO_MIGRATION: 0x20,
  IS_SL_MAPPING: 0x40,
  IS_LED_INFO: 0x200,
  IS_SM_DISABLED: 0x400,
  IS_SYSTEM_IMAGE_GUID: 0x800,
  IS_EXTENDED_SPEEDS: 0x4000,
  HAS_CAP_MASK2: 0x8000,
  IS_CM: 0x1_0000,
  IS_CLIENT_REREGISTER: 0x200_0000,
} as const;

/** Bits of {@link PortInfo.capabilityMask2} that this project uses, as Linux and libibmad have them. */
export const PortCapability2 = {
  IS_LINK_SPEED_HDR: 0x20,
  IS_LINK_SPEED_NDR: 0x400,
  IS_EXTENDED_SPEEDS_2: 0x800,
  IS_LINK_SPEED_XDR: 0x1000,
} as const;

/** SM PortInfo (IBA 14.2.5.6). Host form; 64 bytes big-endian on the wire. Widths of the fields in bits where below 8. */
export interface PortInfo {
  /** Management key, 64 bits. */
  readonly mkey: bigint;
  /** Subnet prefix, 64 bits. */
  readonly gidPrefix: bigint;
  /** Base LID. */
  readonly lid: Lid;
  readonly masterSmLid: Lid;
  /** See {@link PortCapability}. */
  readonly capabilityMask: number;
  readonly diagCode: number;
  /** Seconds. */
  readonly mkeyLeasePeriod: number;
  /** Port the request came in by. */
  readonly localPortNum: number;
  /** Bit mask of width codes. */
  readonly linkWidthEnabled: number;
  /** Bit mask of width codes. */
  readonly linkWidthSupported: number;
  /** One width code. */
  readonly linkWidthActive: number;
  /** 4: mask of SDR 1, DDR 2, QDR 4. */
  readonly linkSpeedSupported: number;
  /** 4: see {@link PortState}. */
  readonly portState: number;
  /** 4: see {@link PortPhysicalState}. */
  readonly portPhysicalState: number;
  /** 4. */
  readonly linkDownDefaultState: number;
  /** 2. */
  readonly mkeyProtectBits: number;
  /** 3. */
  readonly lmc: number;
  /** 4: SDR 1, DDR 2, QDR 4. */
  readonly linkSpeedActive: number;
  /** 4. */
  readonly linkSpeedEnabled: number;
  /** 4: MTU code in use. */
  readonly neighborMtu: Mtu;
  /** 4. */
  readonly masterSmSl: number;
  /** 4. */
  readonly vlCap: number;
  /** 4. */
  readonly initType: number;
  readonly vlHighLimit: number;
  readonly vlArbitrationHighCap: number;
  readonly vlArbitrationLowCap: number;
  /** 4. */
  readonly initTypeReply: number;
  /** 4: highest MTU code supported. */
  readonly mtuCap: Mtu;
  /** 3. */
  readonly vlStallCount: number;
  /** 5. */
  readonly hoqLife: number;
  /** 4. */
  readonly operationalVls: number;
  /** 4: inbound and outbound partition enforcement, inbound and outbound raw filter, from the top bit. */
  readonly partitionEnforcement: number;
  readonly mkeyViolations: number;
  readonly pkeyViolations: number;
  readonly qkeyViolations: number;
  /** Entries of the GUID table. */
  readonly guidCap: number;
  /** Set by a new SM: clients are to subscribe and join again. */
  readonly clientReregister: boolean;
  /** 2. */
  readonly multicastPkeyTrapSuppression: number;
  /** 5: 4.096 µs × 2^code. */
  readonly subnetTimeout: number;
  /** 5. */
  readonly respTimeValue: number;
  /** 4. */
  readonly localPhyErrors: number;
  /** 4. */
  readonly overrunErrors: number;
  readonly maxCreditHint: number;
  /** 2: XDR 1; 0 = {@link PortInfo.linkSpeedExtActive} holds. This and the next two are newer than IBA 1.4; places as in libibmad. */
  readonly linkSpeedExtActive2: number;
  /** 2: mask of the same. */
  readonly linkSpeedExtSupported2: number;
  /** 3: mask of the same. */
  readonly linkSpeedExtEnabled2: number;
  /** 24. */
  readonly linkRoundTripLatency: number;
  /** 16: see {@link PortCapability2}. Holds if the capability mask has `HAS_CAP_MASK2`. */
  readonly capabilityMask2: number;
  /** 4: FDR 1, EDR 2, HDR 4, NDR 8; 0 = {@link PortInfo.linkSpeedActive} holds. */
  readonly linkSpeedExtActive: number;
  /** 4: mask of the same. */
  readonly linkSpeedExtSupported: number;
  /** 5: mask of the same. */
  readonly linkSpeedExtEnabled: number;
}

/** A PortInfo with every field zero or false; with `fields`, those set. */
export function emptyPortInfo(fields: Partial<PortInfo> = {}): PortInfo {
  return { ...decodePortInfo(Buffer.alloc(PORT_INFO_SIZE)), ...fields };
}

/** Writes 64 bytes at `offset`. Throws `VERBENA_IB_VALUE`/`_MALFORMED`. */
export function writePortInfo(buf: Buffer, o: number, p: PortInfo): void {
  needBytes("PortInfo", buf, o, PORT_INFO_SIZE);
  const pair = (at: number, high: number, highBits: number, low: number, field: string): void => {
    buf[o + at] = (bits(high, highBits, field) << (8 - highBits)) | bits(low, 8 - highBits, field);
  };
  putU64(buf, o, p.mkey, "PortInfo.mkey");
  putU64(buf, o + 8, p.gidPrefix, "PortInfo.gidPrefix");
  putU16(buf, o + 16, p.lid, "PortInfo.lid");
  putU16(buf, o + 18, p.masterSmLid, "PortInfo.masterSmLid");
  putU32(buf, o + 20, p.capabilityMask, "PortInfo.capabilityMask");
  putU16(buf, o + 24, p.diagCode, "PortInfo.diagCode");
  putU16(buf, o + 26, p.mkeyLeasePeriod, "PortInfo.mkeyLeasePeriod");
  putU8(buf, o + 28, p.localPortNum, "PortInfo.localPortNum");
  putU8(buf, o + 29, p.linkWidthEnabled, "PortInfo.linkWidthEnabled");
  putU8(buf, o + 30, p.linkWidthSupported, "PortInfo.linkWidthSupported");
  putU8(buf, o + 31, p.linkWidthActive, "PortInfo.linkWidthActive");
  pair(32, p.linkSpeedSupported, 4, p.portState, "PortInfo.linkSpeedSupported/portState");
  pair(33, p.portPhysicalState, 4, p.linkDownDefaultState, "PortInfo.portPhysicalState/linkDownDefaultState");
  buf[o + 34] = (bits(p.mkeyProtectBits, 2, "PortInfo.mkeyProtectBits") << 6) | bits(p.lmc, 3, "PortInfo.lmc");
  pair(35, p.linkSpeedActive, 4, p.linkSpeedEnabled, "PortInfo.linkSpeedActive/linkSpeedEnabled");
  pair(36, p.neighborMtu, 4, p.masterSmSl, "PortInfo.neighborMtu/masterSmSl");
  pair(37, p.vlCap, 4, p.initType, "PortInfo.vlCap/initType");
  putU8(buf, o + 38, p.vlHighLimit, "PortInfo.vlHighLimit");
  putU8(buf, o + 39, p.vlArbitrationHighCap, "PortInfo.vlArbitrationHighCap");
  putU8(buf, o + 40, p.vlArbitrationLowCap, "PortInfo.vlArbitrationLowCap");
  pair(41, p.initTypeReply, 4, p.mtuCap, "PortInfo.initTypeReply/mtuCap");
  pair(42, p.vlStallCount, 3, p.hoqLife, "PortInfo.vlStallCount/hoqLife");
  pair(43, p.operationalVls, 4, p.partitionEnforcement, "PortInfo.operationalVls/partitionEnforcement");
  putU16(buf, o + 44, p.mkeyViolations, "PortInfo.mkeyViolations");
  putU16(buf, o + 46, p.pkeyViolations, "PortInfo.pkeyViolations");
  putU16(buf, o + 48, p.qkeyViolations, "PortInfo.qkeyViolations");
  putU8(buf, o + 50, p.guidCap, "PortInfo.guidCap");
  buf[o + 51] =
    (p.clientReregister ? 0x80 : 0) |
    (bits(p.multicastPkeyTrapSuppression, 2, "PortInfo.multicastPkeyTrapSuppression") << 5) |
    bits(p.subnetTimeout, 5, "PortInfo.subnetTimeout");
  buf[o + 52] = bits(p.respTimeValue, 5, "PortInfo.respTimeValue");
  pair(53, p.localPhyErrors, 4, p.overrunErrors, "PortInfo.localPhyErrors/overrunErrors");
  putU16(buf, o + 54, p.maxCreditHint, "PortInfo.maxCreditHint");
  buf[o + 56] =
    (bits(p.linkSpeedExtActive2, 2, "PortInfo.linkSpeedExtActive2") << 5) |
    (bits(p.linkSpeedExtSupported2, 2, "PortInfo.linkSpeedExtSupported2") << 3) |
    bits(p.linkSpeedExtEnabled2, 3, "PortInfo.linkSpeedExtEnabled2");
  putU24(buf, o + 57, p.linkRoundTripLatency, "PortInfo.linkRoundTripLatency");
  putU16(buf, o + 60, p.capabilityMask2, "PortInfo.capabilityMask2");
  pair(62, p.linkSpeedExtActive, 4, p.linkSpeedExtSupported, "PortInfo.linkSpeedExtActive/linkSpeedExtSupported");
  buf[o + 63] = bits(p.linkSpeedExtEnabled, 5, "PortInfo.linkSpeedExtEnabled");
}

/** Encodes to 64 bytes. Throws `VERBENA_IB_VALUE`. */
export function encodePortInfo(info: PortInfo): Buffer {
  const buf = Buffer.alloc(PORT_INFO_SIZE);
  writePortInfo(buf, 0, info);
  return buf;
}

/** Decodes 64 bytes at `offset`; reserved bits are ignored. Throws `VERBENA_IB_MALFORMED`. */
export function decodePortInfo(buf: Buffer, offset = 0): PortInfo {
  needBytes("PortInfo", buf, offset, PORT_INFO_SIZE);
  const u8 = (at: number): number => buf.readUInt8(offset + at);
  const u16 = (at: number): number => buf.readUInt16BE(offset + at);
  const high = (at: number): number => u8(at) >>> 4;
  const low = (at: number): number => u8(at) & 0xf;
  return {
    mkey: buf.readBigUInt64BE(offset),
    gidPrefix: buf.readBigUInt64BE(offset + 8),
    lid: u16(16) as Lid,
    masterSmLid: u16(18) as Lid,
    capabilityMask: buf.readUInt32BE(offset + 20),
    diagCode: u16(24),
    mkeyLeasePeriod: u16(26),
    localPortNum: u8(28),
    linkWidthEnabled: u8(29),
    linkWidthSupported: u8(30),
    linkWidthActive: u8(31),
    linkSpeedSupported: high(32),
    portState: low(32),
    portPhysicalState: high(33),
    linkDownDefaultState: low(33),
    mkeyProtectBits: u8(34) >>> 6,
    lmc: u8(34) & 7,
    linkSpeedActive: high(35),
    linkSpeedEnabled: low(35),
    neighborMtu: high(36) as Mtu,
    masterSmSl: low(36),
    vlCap: high(37),
    initType: low(37),
    vlHighLimit: u8(38),
    vlArbitrationHighCap: u8(39),
    vlArbitrationLowCap: u8(40),
    initTypeReply: high(41),
    mtuCap: low(41) as Mtu,
    vlStallCount: u8(42) >>> 5,
    hoqLife: u8(42) & 0x1f,
    operationalVls: high(43),
    partitionEnforcement: low(43),
    mkeyViolations: u16(44),
    pkeyViolations: u16(46),
    qkeyViolations: u16(48),
    guidCap: u8(50),
    clientReregister: u8(51) >= 0x80,
    multicastPkeyTrapSuppression: (u8(51) >>> 5) & 3,
    subnetTimeout: u8(51) & 0x1f,
    respTimeValue: u8(52) & 0x1f,
    localPhyErrors: high(53),
    overrunErrors: low(53),
    maxCreditHint: u16(54),
    linkSpeedExtActive2: (u8(56) >>> 5) & 3,
    linkSpeedExtSupported2: (u8(56) >>> 3) & 3,
    linkSpeedExtEnabled2: u8(56) & 7,
    linkRoundTripLatency: buf.readUIntBE(offset + 57, 3),
    capabilityMask2: u16(60),
    linkSpeedExtActive: high(62),
    linkSpeedExtSupported: low(62),
    linkSpeedExtEnabled: u8(63) & 0x1f,
  };
}
