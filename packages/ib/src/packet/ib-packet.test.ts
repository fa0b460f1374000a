import fc from "fast-check";
import { coded } from "../../test/coded.js";
import { hex } from "../../test/vectors.js";
import { Gid } from "../value/gid.js";
import { Lid } from "../value/lid.js";
import { PKey } from "../value/pkey.js";
import { BthOpcode, decodeGrh, decodeIbPacket, encodeIbPacket, type IbPacket } from "./ib-packet.js";

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

  it("has the GRH where a receive buffer has it", () => {
    expect(decodeGrh(bytes, 8)).toEqual(packet.grh);
  });

  it("keeps any packet", () => {
    const u = (bits: number) => fc.integer({ min: 0, max: 2 ** bits - 1 });
    const arbitrary = fc.record({
      lrh: fc.record({ vl: u(4), sl: u(4), dlid: u(16).map(Lid.from), slid: u(16).map(Lid.from) }),
      bth: fc.record({
        opcode: fc.constantFrom(0x64, 0x65, 0x04, 0x0a),
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
