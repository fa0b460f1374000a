import fc from "fast-check";
import { isChecksumGood } from "./checksum.js";
import { CongestionMap } from "./congestion-map.js";
import { decodeExtensions, readProbe } from "./extensions.js";
import { FrameParser } from "./frame-parser.js";
import { decodeHeader, encodeHeader } from "./header.js";
import { EXTENSIONS_SIZE, HEADER_SIZE } from "./header-layout.js";
import { nextSequence, readSequence } from "./sequence.js";

const U16 = fc.integer({ min: 0, max: 0xffff });
const U8 = fc.integer({ min: 0, max: 0xff });
const U64 = fc.oneof(fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), fc.bigInt(2n ** 53n, 2n ** 64n - 1n));

const fields = fc.record({
  sequence: U64,
  ack: U64,
  length: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  sourcePort: U16,
  destinationPort: U16,
  flags: U8,
  credit: U8,
  extensions: fc
    .uint8Array({ minLength: EXTENSIONS_SIZE, maxLength: EXTENSIONS_SIZE })
    .map((bytes) => Buffer.from(bytes)),
  hasChecksum: fc.boolean(),
});

describe("the header codec", () => {
  it("gives back what it was given, also lengths up to 2^32 - 1 and sequences up to 2^64 - 1", () => {
    fc.assert(
      fc.property(fields, (given) => {
        const buf = Buffer.alloc(HEADER_SIZE + 3);
        encodeHeader(buf, 3, given);
        const { hasChecksum, ...rest } = given;
        const { checksum, ...decoded } = decodeHeader(buf, 3);
        expect(decoded).toEqual(rest);
        if (!hasChecksum) expect(checksum).toBe(0);
        expect(isChecksumGood(buf, 3)).toBe(true);
      }),
    );
  });

  it("writes the largest length as four bytes of ones", () => {
    const buf = Buffer.alloc(HEADER_SIZE);
    encodeHeader(buf, 0, { sequence: 1, length: 2 ** 32 - 1, sourcePort: 1, destinationPort: 2 });
    expect(buf.subarray(16, 20).toString("hex")).toBe("ffffffff");
    expect(decodeHeader(buf).length).toBe(4_294_967_295);
  });

  it("sees a checksum that is neither right nor absent", () => {
    fc.assert(
      fc.property(fields, fc.integer({ min: 0, max: 255 }), fc.integer({ min: 0, max: 29 }), (given, value, at) => {
        const buf = Buffer.alloc(HEADER_SIZE);
        encodeHeader(buf, 0, { ...given, hasChecksum: true });
        fc.pre(buf.readUInt16BE(30) !== 0 && Math.abs(buf.readUInt8(at) - value) % 255 !== 0);
        buf.writeUInt8(value, at);
        expect(isChecksumGood(buf, 0)).toBe(false);
      }),
    );
  });

  it("refuses fewer than 48 bytes with its own error", () => {
    expect(() => decodeHeader(Buffer.alloc(47))).toThrow(expect.objectContaining({ code: "VERBENA_RDS_MALFORMED" }));
  });
});

describe("sequence numbers", () => {
  it("stay exact across 2^53", () => {
    const last = Number.MAX_SAFE_INTEGER;
    expect(nextSequence(last)).toBe(2n ** 53n);
    expect(last < nextSequence(last)).toBe(true);
    const buf = Buffer.from("0020000000000001", "hex");
    expect(readSequence(buf, 0)).toBe(2n ** 53n + 1n);
    expect(nextSequence(readSequence(buf, 0))).toBe(2n ** 53n + 2n);
  });
});

describe("extensions", () => {
  const area = (hex: string): Buffer => Buffer.from(hex.padEnd(32, "0"), "hex");

  it.each([
    ["050008", { npaths: 8, generation: undefined }],
    ["0500010612345678", { npaths: 1, generation: 0x12345678 }],
    ["05000106123456780800", { npaths: 1, generation: 0x12345678 }],
    ["", { npaths: undefined, generation: undefined }],
    ["0800050001", { npaths: 1, generation: undefined }],
  ])("a probe with %s says what it says", (hex, facts) => {
    expect(readProbe(area(hex))).toEqual(facts);
  });

  it("end at the first type of unknown length, and at the end of the area", () => {
    expect(decodeExtensions(area("0a0500010500010500010500010500ff")).map(({ type }) => type)).toEqual([]);
    expect(decodeExtensions(Buffer.from("05000105000105000105000105000105", "hex"))).toHaveLength(5);
  });

  it("never throw, whatever the area holds", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 24 }), (bytes) => {
        decodeExtensions(Buffer.from(bytes));
      }),
    );
  });
});

describe("the congestion map", () => {
  it("keeps port 2002 in byte 250, mask 0x04", () => {
    const map = new CongestionMap();
    expect([map.set(2002, true), map.set(2002, true)]).toEqual([true, false]);
    expect(map.frame().readUInt8(HEADER_SIZE + 250)).toBe(0x04);
    expect([map.has(2002), map.has(2001), map.has(2003)]).toEqual([true, false, false]);
  });

  it("holds any set of ports", () => {
    fc.assert(
      fc.property(fc.uniqueArray(U16, { maxLength: 50 }), U16, (ports, other) => {
        const map = new CongestionMap();
        for (const port of ports) map.set(port, true);
        const copy = new CongestionMap();
        copy.replace(map.frame().subarray(HEADER_SIZE));
        expect(ports.every((port) => copy.has(port))).toBe(true);
        expect(copy.has(other)).toBe(ports.includes(other));
      }),
    );
  });
});

describe("the frame parser", () => {
  const frame = (length: number, seed: number): Buffer => {
    const buf = Buffer.alloc(HEADER_SIZE + length);
    encodeHeader(buf, 0, { sequence: seed + 1, length, sourcePort: 9, destinationPort: 7 });
    for (let at = 0; at < length; at += 1) buf[HEADER_SIZE + at] = (at * 7 + seed) & 0xff;
    return buf;
  };

  it("finds the same frames in whatever pieces the stream comes", () => {
    const lengths = fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 12 });
    fc.assert(
      fc.property(lengths, fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 40 }), (all, cuts) => {
        const frames = all.map(frame);
        const stream = Buffer.concat(frames);
        const seen: Buffer[] = [];
        const parser = new FrameParser(300, (header, at, payload) => {
          seen.push(Buffer.concat([header.subarray(at, at + HEADER_SIZE), payload]));
        });
        for (let at = 0, turn = 0; at < stream.length; turn += 1) {
          const end = Math.min(stream.length, at + (cuts[turn % cuts.length] ?? 1));
          const piece = Buffer.from(stream.subarray(at, end));
          parser.push(piece);
          piece.fill(0xee); // the piece is its owner's again
          at = end;
        }
        expect(seen).toEqual(frames);
        expect([parser.headerRemaining, parser.dataRemaining]).toEqual([0, 0]);
      }),
    );
  });

  it("tells what is missing of the frame on its way", () => {
    const parser = new FrameParser(1000, () => undefined);
    parser.push(frame(100, 1).subarray(0, 20));
    expect([parser.headerRemaining, parser.dataRemaining]).toEqual([28, 0]);
    parser.push(frame(100, 1).subarray(20, 58));
    expect([parser.headerRemaining, parser.dataRemaining]).toEqual([0, 90]);
  });

  it("takes a frame of the limit and refuses one above it", () => {
    let count = 0;
    new FrameParser(100, () => (count += 1)).push(frame(100, 1));
    expect(count).toBe(1);
    for (const whole of [true, false]) {
      const parser = new FrameParser(100, () => undefined);
      const bytes = frame(101, 1).subarray(0, whole ? undefined : 30);
      const feed = (): void => {
        parser.push(bytes);
        parser.push(frame(101, 1).subarray(30));
      };
      expect(feed).toThrow(expect.objectContaining({ code: "VERBENA_RDS_MALFORMED" }));
    }
  });

  it("refuses a congestion map of another length", () => {
    const bytes = frame(100, 0);
    bytes.writeUInt8(1, 24);
    expect(() => new FrameParser(1000, () => undefined).push(bytes)).toThrow(
      expect.objectContaining({ code: "VERBENA_RDS_MALFORMED" }),
    );
  });

  it("refuses a message with the sequence number 0, which only maps have", () => {
    const bytes = frame(10, 0);
    bytes.fill(0, 0, 8);
    expect(() => new FrameParser(1000, () => undefined).push(bytes)).toThrow(
      expect.objectContaining({ code: "VERBENA_RDS_MALFORMED", message: expect.stringContaining("sequence number 0") }),
    );
  });

  it("allocates for what has come, not for what was promised", () => {
    const parser = new FrameParser(2 ** 32 - 1, () => undefined);
    const header = Buffer.alloc(HEADER_SIZE);
    encodeHeader(header, 0, { sequence: 1, length: 2 ** 32 - 1, sourcePort: 1, destinationPort: 2 });
    const before = process.memoryUsage().arrayBuffers;
    parser.push(header);
    parser.push(Buffer.alloc(1000));
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4 << 20);
    expect(parser.dataRemaining).toBe(2 ** 32 - 1 - 1000);
  });

  it("throws nothing but its own error, whatever comes", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 8 }), (pieces) => {
        const parser = new FrameParser(1000, () => undefined);
        try {
          for (const piece of pieces) parser.push(Buffer.from(piece));
        } catch (error) {
          expect(error).toMatchObject({ code: "VERBENA_RDS_MALFORMED" });
        }
      }),
    );
  });
});
