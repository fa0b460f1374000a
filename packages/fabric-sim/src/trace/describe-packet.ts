import {
  aethSyndromeName,
  bthOpcodeName,
  decodeIbPacket,
  decodeMadHeader,
  decodeRmppHeader,
  Gid,
  type IbPacket,
  MAD_HEADER_SIZE,
  MgmtClass,
  madAttributeName,
  madMethodName,
  madStatusText,
  mgmtClassName,
  PKey,
  RMPP_HEADER_SIZE,
  RmppFlag,
  RmppType,
  VerbenaError,
} from "@verbena/ib";
import { madOf } from "./mad-of.js";

/** Header of a MAD, with names; numbers of wire fields beside them. */
export interface MadDescription {
  /** `SA`, `SM`, `SM-DR`, `Perf`, …, or the number. */
  readonly class: string;
  readonly mgmtClass: number;
  readonly classVersion: number;
  /** `Get`, `GetTableResp`, …, or the number. */
  readonly method: string;
  /** `PathRecord`, …, or the number. */
  readonly attribute: string;
  readonly attributeId: number;
  readonly attributeModifier: number;
  /** 16 hexadecimal digits. */
  readonly tid: string;
  readonly status: number;
  /** `ok`, `busy`, `no records`, …, or the number. */
  readonly statusText: string;
  /** Directed routes only. */
  readonly hopPointer?: number;
  readonly hopCount?: number;
  /** SA messages in several segments only. */
  readonly rmpp?: {
    readonly type: "data" | "ack" | "stop" | "abort" | "unknown";
    readonly segment: number;
    readonly isLast: boolean;
    readonly status: number;
  };
}

/** A packet for people and programs outside. Of bytes that are no packet only `problem` is there. */
export interface PacketDescription {
  readonly problem?: string;
  readonly lrh?: { readonly vl: number; readonly sl: number; readonly dlid: number; readonly slid: number };
  readonly grh?: {
    readonly tclass: number;
    readonly flowLabel: number;
    readonly hopLimit: number;
    readonly sgid: string;
    readonly dgid: string;
  };
  readonly bth?: {
    readonly opcode: number;
    /** `RC RDMA WRITE first`, `UD SEND only`, …, or the number. */
    readonly operation: string;
    /** `0xffff`. */
    readonly pkey: string;
    readonly destQpn: number;
    readonly psn: number;
  };
  readonly deth?: {
    /** `0x80010000`. */
    readonly qkey: string;
    readonly srcQpn: number;
  };
  readonly reth?: {
    /** `0x7f0000001000`. */
    readonly address: string;
    /** `0x00100001`. */
    readonly rkey: string;
    readonly dmaLength: number;
  };
  readonly atomicEth?: {
    readonly address: string;
    readonly rkey: string;
    /** 64-bit numbers in decimal, as text. */
    readonly swapAdd: string;
    readonly compare: string;
  };
  readonly aeth?: {
    readonly syndrome: number;
    /** `ACK`, `RNR NAK 5`, `NAK PSN sequence error`, …, or the number. */
    readonly syndromeText: string;
    readonly msn: number;
  };
  /** Answer of an atomic: a 64-bit number in decimal, as text. */
  readonly atomicAck?: string;
  readonly immediate?: number;
  readonly payloadLength?: number;
  readonly mad?: MadDescription;
}

/** Describes the bytes of a packet, from the LRH on, without CRCs. Never throws. */
export function describePacket(bytes: Buffer): PacketDescription {
  let packet: IbPacket;
  try {
    packet = decodeIbPacket(bytes);
  } catch (error) {
    if (!VerbenaError.is(error)) throw error;
    return { problem: error.message };
  }
  const { lrh, grh, bth, payload } = packet;
  const mad = madOf(bytes);
  return {
    lrh,
    ...(grh === undefined ? {} : { grh: { ...grh, sgid: Gid.format(grh.sgid), dgid: Gid.format(grh.dgid) } }),
    bth: {
      opcode: bth.opcode,
      operation: bthOpcodeName(bth.opcode),
      pkey: PKey.format(bth.pkey),
      destQpn: bth.destQpn,
      psn: bth.psn,
    },
    ...describeExtended(packet),
    payloadLength: payload.length,
    ...(mad === undefined ? {} : { mad: describeMad(mad) }),
  };
}

function describeExtended({ deth, reth, atomicEth, aeth, atomicAck, immediate }: IbPacket): Partial<PacketDescription> {
  return {
    ...(deth && { deth: { qkey: key(deth.qkey), srcQpn: deth.srcQpn } }),
    ...(reth && { reth: { address: addressText(reth.address), rkey: key(reth.rkey), dmaLength: reth.dmaLength } }),
    ...(atomicEth && {
      atomicEth: {
        address: addressText(atomicEth.address),
        rkey: key(atomicEth.rkey),
        swapAdd: String(atomicEth.swapAdd),
        compare: String(atomicEth.compare),
      },
    }),
    ...(aeth && {
      aeth: { syndrome: aeth.syndrome, syndromeText: aethSyndromeName(aeth.syndrome), msn: aeth.msn },
    }),
    ...(atomicAck !== undefined && { atomicAck: String(atomicAck) }),
    ...(immediate !== undefined && { immediate }),
  };
}

const key = (value: number): string => `0x${value.toString(16).padStart(8, "0")}`;
const addressText = (value: bigint): string => `0x${value.toString(16)}`;

/** Describes the header of a MAD of at least 24 bytes. */
export function describeMad(mad: Buffer): MadDescription {
  const header = decodeMadHeader(mad);
  const { mgmtClass, attributeId, status, classSpecific } = header;
  return {
    class: mgmtClassName(mgmtClass),
    mgmtClass,
    classVersion: header.classVersion,
    method: madMethodName(header.method),
    attribute: madAttributeName(mgmtClass, attributeId),
    attributeId,
    attributeModifier: header.attributeModifier,
    tid: header.tid.toString(16).padStart(16, "0"),
    status,
    statusText: madStatusText(mgmtClass, status),
    ...(mgmtClass === MgmtClass.SUBN_DIRECTED_ROUTE
      ? { hopPointer: classSpecific >>> 8, hopCount: classSpecific & 0xff }
      : {}),
    ...(mgmtClass === MgmtClass.SUBN_ADM ? describeRmpp(mad) : {}),
  };
}

function describeRmpp(mad: Buffer): Pick<MadDescription, "rmpp"> {
  if (mad.length < MAD_HEADER_SIZE + RMPP_HEADER_SIZE) return {};
  const { type, flags, segment, status } = decodeRmppHeader(mad, MAD_HEADER_SIZE);
  if ((flags & RmppFlag.ACTIVE) === 0) return {};
  const name = RMPP_TYPES.get(type) ?? "unknown";
  return { rmpp: { type: name, segment, isLast: (flags & RmppFlag.LAST) !== 0, status } };
}

const RMPP_TYPES: ReadonlyMap<number, "data" | "ack" | "stop" | "abort"> = new Map([
  [RmppType.DATA, "data"],
  [RmppType.ACK, "ack"],
  [RmppType.STOP, "stop"],
  [RmppType.ABORT, "abort"],
] as const);
