import { encodeFrame, FrameReader, ProtocolViolation } from "./frame.js";

describe("FrameReader", () => {
  const frames = [
    encodeFrame(1, 7, Buffer.from("abc")),
    encodeFrame(6, 0, Buffer.alloc(0)),
    encodeFrame(4, 8, Buffer.alloc(300, 9)),
  ];

  it("writes length, type and tag little-endian", () => {
    expect(frames[0]?.toString("hex")).toBe("0b000000" + "0100" + "0000" + "07000000" + "616263");
  });

  it.each([1, 5, 12, 4096])("finds the same frames in pieces of %d bytes", (size) => {
    const reader = new FrameReader();
    const stream = Buffer.concat(frames);
    const found: string[] = [];
    for (let at = 0; at < stream.length; at += size) {
      for (const { type, tag, body } of reader.push(stream.subarray(at, at + size)))
        found.push(`${type}/${tag}/${body.length}`);
    }
    expect(found).toEqual(["1/7/3", "6/0/0", "4/8/300"]);
  });

  it.each([0, 7, 65_537, 0xffff_ffff])("refuses a length of %d", (length) => {
    const head = Buffer.alloc(4);
    head.writeUInt32LE(length);
    expect(() => [...new FrameReader().push(head)]).toThrow(ProtocolViolation);
  });
});
