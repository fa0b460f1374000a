import { endianness } from "node:os";
import { Gid, Lid } from "@verbena/ib";
import { decodeBatch, encodeMadMessage, MAD_HEADER_SIZE, QP1_QKEY } from "./mad-header.js";

const host16 = (n: number): string => {
  const buf = Buffer.alloc(2);
  if (endianness() === "LE") buf.writeUInt16LE(n);
  else buf.writeUInt16BE(n);
  return buf.toString("hex");
};

test("the address lies in the header as spec acm.md 5.1 says", () => {
  const message = encodeMadMessage(
    { lid: Lid.from(0x1234), qpn: 1, sl: 3, pathBits: 2, pkeyIndex: 5 },
    Buffer.from("abcd", "hex"),
  );
  expect(message.length).toBe(MAD_HEADER_SIZE + 2);
  expect(message.subarray(0, 20).toString("hex")).toBe("00".repeat(20));
  expect(message.subarray(20, 36).toString("hex")).toBe("00000001" + "80010000" + "1234" + "03" + "02" + "00000000");
  expect(message.subarray(36, 56).toString("hex")).toBe("00".repeat(20));
  expect(message.subarray(56, 58).toString("hex")).toBe(host16(5));
  expect(message.subarray(64).toString("hex")).toBe("abcd");
});

test("a GRH fills GID, index, hop limit, class and flow label", () => {
  const grh = { gid: Gid.parse("fe80::1"), gidIndex: 7, hopLimit: 64, trafficClass: 9, flowLabel: 0x12345 };
  const message = encodeMadMessage({ lid: Lid.from(1), qpn: 1, qkey: 0x11, grh }, Buffer.alloc(0));
  expect(message.subarray(24, 28).toString("hex")).toBe("00000011");
  expect(message.subarray(32, 36).toString("hex")).toBe("01074009");
  expect(message.subarray(36, 52).toString("hex")).toBe("fe80000000000000" + "0000000000000001");
  expect(message.subarray(52, 56).toString("hex")).toBe("00012345");
});

/** A record as the addon makes it. */
function record(agentId: number, status: number, to: Parameters<typeof encodeMadMessage>[0], mad: Buffer): Buffer {
  const message = encodeMadMessage(to, mad);
  const put = endianness() === "LE" ? "writeUInt32LE" : "writeUInt32BE";
  message[put](agentId, 0);
  message[put](status, 4);
  message[put](mad.length, 16);
  return Buffer.concat([message, Buffer.alloc((8 - (message.length % 8)) % 8)]);
}

test("a batch comes apart into its messages", () => {
  const grh = { gid: Gid.parse("fe80::2"), gidIndex: 1, hopLimit: 2, trafficClass: 3, flowLabel: 4 };
  const batch = Buffer.concat([
    record(3, 0, { lid: Lid.from(17), qpn: 1, sl: 4, pathBits: 1, pkeyIndex: 2 }, Buffer.alloc(256, 0xaa)),
    record(4, 110, { lid: Lid.from(1), qpn: 1, grh }, Buffer.alloc(20, 0xbb)),
  ]);
  const [first, second, ...rest] = decodeBatch(batch);
  expect(rest).toEqual([]);
  expect(first).toEqual({
    agentId: 3,
    message: {
      status: 0,
      mad: Buffer.alloc(256, 0xaa),
      from: { lid: 17, qpn: 1, qkey: QP1_QKEY, sl: 4, pathBits: 1, pkeyIndex: 2 },
    },
  });
  expect(second?.agentId).toBe(4);
  expect(second?.message.status).toBe(110);
  expect(second?.message.mad).toEqual(Buffer.alloc(20, 0xbb));
  expect(second?.message.from.grh).toEqual(grh);
});
