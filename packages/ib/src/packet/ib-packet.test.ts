import fc from "fast-check";
import { coded } from "../../test/coded.js";
import { hex } from "../../test/vectors.js";
import { Gid } from "../value/gid.js";
import { Lid } from "../value/lid.js";
import { PKey } from "../value/pkey.js";
import { decodeGrh, decodeIbPacket, encodeIbPacket, type IbPacket } from "./ib-packet.js";
import { aethSyndromeName, BthOpcode, bthOpcodeName } from "./opcodes.js";

/** An ACM request as node 1 multicasts it, with a payload of five bytes. */
const packet: IbPacket = {
  lrh: { vl: 1, sl: 2, dlid: Lid.from(0xc001), slid: Lid.from(1) },
  grh: {
    tclass: 0xab,
    flowLabel: 0x12345,
    hopLimit: 9,
    sgid: Gid.parse("fe80::10:1"),
    dgid: Gid.parse("ff15:4001:ffff:3:400::"),
  },
  bth: {
    opcode: BthOpcode.UD_SEND_ONLY,
    solicited: true,
    migration: false,
    pkey: PKey.DEFAULT,
    destQpn: 0xff_ffff,
    ackRequest: false,
    psn: 0x01_0203,
  },
  deth: { qkey: 0x8001_0000, srcQpn: 0x50 },
  payload: Buffer.from("hello"),
};

// Written by hand from IBA chapters 7, 8 and 9; 80 bytes and the invariant CRC are 21 words, 32 + 4 bytes follow the GRH.
const bytes = hex(`
  10 23 c001 0014 0001
  6ab12345 0020 1b 09 fe80 00*11 100001 ff154001ffff0003 0400 00*6
  64 b0 ffff 00 ffffff 00 010203
  80010000 00 000050
  68656c6c6f 00*3`);

describe("IbPacket", () => {
  it("is laid out as the architecture says", () => {
    expect(bytes).toHaveLength(76);
    expect(encodeIbPacket(packet)).toEqual(bytes);
    expect(decodeIbPacket(bytes)).toEqual(packet);
  });

  it("carries a MAD on the subnet without a GRH", () => {
    const { lrh, bth, deth } = packet;
    const mad: IbPacket = { lrh, bth, ...(deth && { deth }), payload: Buffer.alloc(256, 7) };
    const encoded = encodeIbPacket(mad);
    expect(encoded).toHaveLength(8 + 12 + 8 + 256);
    expect(encoded.readUInt8(1) & 3).toBe(2);
    expect(decodeIbPacket(encoded)).toEqual(mad);
  });

  // Written by hand from IBA 9.3.3, 9.3.5 and 9.3.6.
  it.each([
    [
      0x06,
      { reth: { address: 0x1122334455667788n, rkey: 0x99aabbcc, dmaLength: 5000 } },
      "1122334455667788 99aabbcc 00001388",
    ],
    [0x0b, { reth: { address: 1n, rkey: 2, dmaLength: 3 }, immediate: 4 }, "00*7 01 00000002 00000003 00000004"],
    [0x13, { atomicEth: { address: 8n, rkey: 7, swapAdd: 2n, compare: 3n } }, "00*7 08 00000007 00*7 02 00*7 03"],
    [0x12, { aeth: { syndrome: 0x1f, msn: 0x010203 }, atomicAck: 258n }, "1f 010203 00*6 0102"],
    [0x11, { aeth: { syndrome: 0x63, msn: 1 } }, "63 000001"],
    [0x23, { immediate: 0x0a0b0c0d }, "0a0b0c0d"],
    [0x0e, {}, ""],
  ])("has the extended headers of opcode %i", (opcode, headers, text) => {
    const { lrh, bth } = packet;
    const connected: IbPacket = { lrh, bth: { ...bth, opcode }, ...headers, payload: Buffer.from("data") };
    const encoded = encodeIbPacket(connected);
    expect(encoded.subarray(20)).toEqual(Buffer.concat([hex(text), Buffer.from("data")]));
    expect(decodeIbPacket(encoded)).toEqual(connected);
  });

  it("has the GRH where a receive buffer has it", () => {
    expect(decodeGrh(bytes, 8)).toEqual(packet.grh);
  });

  it("keeps any packet", () => {
    const u = (bits: number) => fc.integer({ min: 0, max: 2 ** bits - 1 });
    const arbitrary = fc.record({
      lrh: fc.record({ vl: u(4), sl: u(4), dlid: u(16).map(Lid.from), slid: u(16).map(Lid.from) }),
      bth: fc.record({
        opcode: fc.constantFrom(0x64, 0x65, 0x04, 0x0e, 0x80),
        solicited: fc.boolean(),
        migration: fc.boolean(),
        pkey: u(16).map(PKey.from),
        destQpn: u(24),
        ackRequest: fc.boolean(),
        psn: u(24),
      }),
      withGrh: fc.boolean(),
      deth: fc.record({ qkey: u(32), srcQpn: u(24) }),
      immediate: u(32),
      payload: fc.uint8Array({ maxLength: 64 }).map((array) => Buffer.from(array)),
    });
    fc.assert(
      fc.property(arbitrary, ({ lrh, bth, withGrh, deth, immediate, payload }) => {
        const any: IbPacket = {
          lrh,
          bth,
          payload,
          ...(withGrh && packet.grh && { grh: packet.grh }),
          ...((bth.opcode & 0x60) === 0x60 && { deth }),
          ...(bth.opcode === 0x65 && { immediate }),
        };
        const encoded = encodeIbPacket(any);
        expect(encoded.length % 4).toBe(0);
        expect(decodeIbPacket(encoded)).toEqual(any);
      }),
    );
  });

  it("fits 8188 bytes with the invariant CRC and no more", () => {
    const { lrh, bth, deth } = packet;
    const of = (size: number): IbPacket => ({ lrh, bth, ...(deth && { deth }), payload: Buffer.alloc(size) });
    const largest = 8188 - 4 - 28;
    expect(decodeIbPacket(encodeIbPacket(of(largest))).payload).toHaveLength(largest);
    expect(() => encodeIbPacket(of(largest + 1))).toThrow(coded("VERBENA_IB_VALUE"));
  });

  it("refuses headers that do not go with the opcode", () => {
    const { deth, ...without } = packet;
    expect(deth).toBeDefined();
    expect(() => encodeIbPacket(without)).toThrow(coded("VERBENA_IB_VALUE", "IbPacket.deth"));
    expect(() => encodeIbPacket({ ...packet, immediate: 1 })).toThrow(coded("VERBENA_IB_VALUE", "IbPacket.immediate"));
  });

  it.each([
    ["another length", 5, 0x15],
    ["a raw packet", 1, 0x20],
    ["a link version of the future", 0, 0x11],
  ])("refuses %s", (_, at, value) => {
    const broken = Buffer.from(bytes);
    broken[at] = value;
    expect(() => decodeIbPacket(broken)).toThrow(coded("VERBENA_IB_MALFORMED"));
  });

  it("refuses a packet that ends in its headers", () => {
    for (let words = 0; words < bytes.length / 4; words++) {
      const cut = Buffer.from(bytes.subarray(0, words * 4));
      if (cut.length >= 6) cut.writeUInt16BE(words + 1, 4);
      if (words * 4 >= 68) continue;
      expect(() => decodeIbPacket(cut)).toThrow(coded("VERBENA_IB_MALFORMED"));
    }
  });
});

it.each([
  [0x00, "RC SEND first"],
  [0x0c, "RC RDMA READ request"],
  [0x14, "RC FetchAdd"],
  [0x2b, "UC RDMA WRITE only with immediate"],
  [0x65, "UD SEND only with immediate"],
  [0x15, "0x15"],
  [0x2c, "0x2c"],
  [0x60, "0x60"],
  [0x80, "0x80"],
])("names opcode %i %s", (opcode, name) => {
  expect(bthOpcodeName(opcode)).toBe(name);
});

it.each([
  [0x1f, "ACK"],
  [0x25, "RNR NAK 5"],
  [0x60, "NAK PSN sequence error"],
  [0x63, "NAK remote operational error"],
  [0x7f, "0x7f"],
  [0x40, "0x40"],
])("names syndrome %i %s", (syndrome, name) => {
  expect(aethSyndromeName(syndrome)).toBe(name);
});
