import {
  describePacket,
  type MadDescription,
  type PacketDescription,
  type TracePacketMessage,
} from "@verbena/fabric-sim";

const MANAGEMENT_LANE = 15;
const MULTICAST_LID = 0xc000;
const PERMISSIVE_LID = 0xffff;

/** Packets as lines of text; times count from the first one. */
export class TraceLines {
  #startMs: number | undefined;

  /** `   0.000112  forward  H2[1] -> L1[2]       #1  LID 4 H2[1] -> 1 H1[1]  SL 0  P_Key 0xffff  QP 1 -> 1  SA Get PathRecord  TID 0x…`. */
  packet(message: TracePacketMessage, bytes: Buffer): string {
    this.#startMs ??= message.timeMs;
    const seconds = ((message.timeMs - this.#startMs) / 1000).toFixed(6).padStart(11);
    const parts = [
      `#${String(message.number)}`.padEnd(4),
      ...(message.reason === undefined ? [] : [message.reason]),
      ...headersOf(message, describePacket(bytes), bytes.length),
    ];
    return `${seconds}  ${message.event.padEnd(7)}  ${placeOf(message).padEnd(20)}  ${parts.join("  ")}\n`;
  }

  lost(count: number): string {
    return `${"".padStart(11)}  ${String(count)} packets are not shown: this reader is too slow\n`;
  }
}

function placeOf({ port, peer }: TracePacketMessage): string {
  return peer === undefined ? port : `${port} -> ${peer}`;
}

function headersOf({ from, to }: TracePacketMessage, packet: PacketDescription, length: number): readonly string[] {
  const { lrh, grh, bth, deth, mad } = packet;
  if (lrh === undefined || bth === undefined)
    return [`${String(length)} bytes that are no packet: ${packet.problem ?? ""}`];
  return [
    `LID ${lidOf(lrh.slid, from)} -> ${lidOf(lrh.dlid, to)}`,
    ...(grh === undefined ? [] : [`GID ${grh.sgid} -> ${grh.dgid}`]),
    lrh.vl === MANAGEMENT_LANE ? "VL 15" : `SL ${String(lrh.sl)}`,
    `P_Key ${bth.pkey}`,
    `QP ${deth === undefined ? "" : `${numberOf(deth.srcQpn)} `}-> ${numberOf(bth.destQpn)}`,
    mad === undefined ? transportText(packet) : madText(mad),
  ];
}

/** `RC SEND first  PSN 5  1024 bytes`, `RC acknowledge  PSN 5  NAK invalid request`. */
function transportText({ bth, reth, aeth, payloadLength }: PacketDescription): string {
  return [
    bth?.operation,
    `PSN ${String(bth?.psn)}`,
    ...(reth === undefined ? [] : [`${String(reth.dmaLength)} bytes at ${reth.address}`]),
    ...(aeth === undefined ? [] : [aeth.syndromeText]),
    ...(payloadLength === 0 ? [] : [`${String(payloadLength)} bytes`]),
  ].join("  ");
}

function lidOf(lid: number, port: string | undefined): string {
  if (port !== undefined) return `${String(lid)} ${port}`;
  return lid >= MULTICAST_LID ? (lid === PERMISSIVE_LID ? "permissive" : `0x${lid.toString(16)}`) : String(lid);
}

/** Multicast and programs' own queue pairs are read in hexadecimal. */
function numberOf(qpn: number): string {
  return qpn < 2 ? String(qpn) : `0x${qpn.toString(16)}`;
}

/** `SA GetResp PathRecord  TID 0x…  no records`. */
export function madText(mad: MadDescription): string {
  const isAnswer = mad.method.endsWith("Resp") || mad.status !== 0;
  const modifier = mad.attributeModifier === 0 ? [] : [`modifier 0x${mad.attributeModifier.toString(16)}`];
  return [
    `${mad.class} ${mad.method} ${mad.attribute}`,
    ...modifier,
    ...(mad.hopCount === undefined ? [] : [`hop ${String(mad.hopPointer)}/${String(mad.hopCount)}`]),
    `TID 0x${mad.tid}`,
    ...(mad.rmpp === undefined
      ? []
      : [`RMPP ${mad.rmpp.type} ${String(mad.rmpp.segment)}${mad.rmpp.isLast ? " last" : ""}`]),
    ...(isAnswer ? [mad.statusText] : []),
  ].join("  ");
}
