import type { TracePacketMessage } from "@verbena/fabric-sim";
import {
  BthOpcode,
  encodeIbPacket,
  encodeSaMad,
  encodeSmp,
  GSI_QKEY,
  Lid,
  MadMethod,
  MadStatus,
  MgmtClass,
  PKey,
  RmppFlag,
  RmppType,
  SaAttribute,
  SmAttribute,
} from "@verbena/ib";
import { TraceLines } from "./trace-lines.js";

const packetOf = (payload: Buffer, { vl, qpn, dlid }: { vl: number; qpn: number; dlid: number }) =>
  encodeIbPacket({
    lrh: { vl, sl: 0, dlid: Lid.from(dlid), slid: Lid.from(4) },
    bth: {
      opcode: BthOpcode.UD_SEND_ONLY,
      solicited: false,
      migration: false,
      pkey: PKey.DEFAULT,
      destQpn: qpn,
      ackRequest: false,
      psn: 0,
    },
    deth: { qkey: GSI_QKEY, srcQpn: qpn },
    payload,
  });

const lineOf = (bytes: Buffer, message: Partial<TracePacketMessage> = {}) =>
  new TraceLines().packet(
    { type: "packet", number: 3, event: "send", timeMs: 5, epochMs: 0, port: "H2[1]", bytes: "", ...message },
    bytes,
  );

describe("a line of the trace", () => {
  it("has place, addresses, and what the MAD wants", () => {
    const mad = encodeSaMad({ method: MadMethod.GET, tid: 0x1234n, attributeId: SaAttribute.PATH_RECORD });
    const bytes = packetOf(mad, { vl: 0, qpn: 1, dlid: 1 });
    expect(lineOf(bytes, { event: "forward", peer: "L1[2]", from: "H2[1]", to: "H1[1]" })).toBe(
      "   0.000000  forward  H2[1] -> L1[2]        #3    LID 4 H2[1] -> 1 H1[1]  SL 0  P_Key 0xffff  QP 1 -> 1  SA Get PathRecord  TID 0x0000000000001234\n",
    );
  });

  it("has the status of an answer, the segment of a long one, and the reason of a drop", () => {
    const answer = encodeSaMad({
      method: MadMethod.GET_TABLE_RESP,
      tid: 1n,
      attributeId: SaAttribute.NODE_RECORD,
      status: MadStatus.SA_NO_RECORDS,
      rmpp: {
        version: 1,
        type: RmppType.DATA,
        respTime: 31,
        flags: RmppFlag.ACTIVE | RmppFlag.LAST,
        status: 0,
        segment: 2,
        payloadLengthOrNewWindow: 20,
      },
    });
    const line = lineOf(packetOf(answer, { vl: 0, qpn: 1, dlid: 0xc001 }), { event: "drop", reason: "no-route" });
    expect(line).toContain("  drop     H2[1]                 #3    no-route  LID 4 -> 0xc001  ");
    expect(line).toMatch(/SA GetTableResp NodeRecord {2}TID 0x0000000000000001 {2}RMPP data 2 last {2}no records\n$/);
  });

  it("has how far a directed route is", () => {
    const smp = encodeSmp({
      mgmtClass: MgmtClass.SUBN_DIRECTED_ROUTE,
      method: MadMethod.SET,
      tid: 1n,
      attributeId: SmAttribute.PORT_INFO,
      attributeModifier: 2,
      classSpecific: 0x0103,
    });
    expect(lineOf(packetOf(smp, { vl: 15, qpn: 0, dlid: 0xffff }))).toMatch(
      /LID 4 -> permissive {2}VL 15 {2}P_Key 0xffff {2}QP 0 -> 0 {2}SM-DR Set PortInfo {2}modifier 0x2 {2}hop 1\/3/,
    );
  });

  it("names what queue pairs send each other: operation, PSN, what it is about, what is answered", () => {
    const bth = {
      solicited: false,
      migration: true,
      pkey: PKey.DEFAULT,
      destQpn: 0x41,
      ackRequest: true,
      psn: 7,
    };
    const lrh = { vl: 0, sl: 0, dlid: Lid.from(1), slid: Lid.from(4) };
    const write = encodeIbPacket({
      lrh,
      bth: { ...bth, opcode: 0x0a },
      reth: { address: 0x7f00n, rkey: 9, dmaLength: 100 },
      payload: Buffer.alloc(100),
    });
    expect(lineOf(write)).toMatch(
      / {2}QP -> 0x41 {2}RC RDMA WRITE only {2}PSN 7 {2}100 bytes at 0x7f00 {2}100 bytes\n$/,
    );
    const answer = encodeIbPacket({
      lrh,
      bth: { ...bth, opcode: BthOpcode.RC_ACKNOWLEDGE },
      aeth: { syndrome: 0x62, msn: 1 },
      payload: Buffer.alloc(0),
    });
    expect(lineOf(answer)).toMatch(/ {2}RC acknowledge {2}PSN 7 {2}NAK remote access error\n$/);
  });

  it("says so of bytes that are no packet, and of packets not shown", () => {
    expect(lineOf(Buffer.alloc(3))).toMatch(/3 bytes that are no packet: IbPacket: expected 20 bytes/);
    expect(new TraceLines().lost(17)).toContain("17 packets are not shown");
  });

  it("counts time from the first", () => {
    const lines = new TraceLines();
    const at = (timeMs: number) =>
      lines.packet(
        { type: "packet", number: 1, event: "send", timeMs, epochMs: 0, port: "H", bytes: "" },
        Buffer.alloc(0),
      );
    expect([at(1000), at(2500.25)].map((line) => line.slice(0, 11))).toEqual(["   0.000000", "   1.500250"]);
  });
});
