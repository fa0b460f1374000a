import type { PayloadMemory } from "@verbena/core/sdk";
import fc from "fast-check";
import { FrameParser } from "./frame-parser.js";
import { encodeHeader } from "./header.js";
import { HEADER_SIZE } from "./header-layout.js";

const KIB = 1024;

/** A frame whose payload repeats one byte. */
function frame(length: number, mark: number): Buffer {
  const bytes = Buffer.alloc(HEADER_SIZE + length, mark);
  encodeHeader(bytes, 0, { sequence: mark + 1, length, sourcePort: 7, destinationPort: 2001 });
  return bytes;
}

interface Held {
  readonly payload: Buffer;
  readonly mark: number;
  readonly memory: PayloadMemory | undefined;
}

const isWhole = ({ payload, mark }: Held): boolean => payload.equals(Buffer.alloc(payload.length, mark));

describe("memory of payloads that have come", () => {
  it("is whole until it is given back, and for ever where it is kept, however frames come in pieces", () => {
    const sizes = fc.array(fc.oneof(fc.nat(200), fc.nat(20 * KIB), fc.nat(300 * KIB)), { maxLength: 30 });
    fc.assert(
      fc.property(
        sizes,
        fc.array(fc.integer({ min: 1, max: 400 * KIB }), { minLength: 1 }),
        fc.nat(5),
        (lengths, cuts, window) => {
          const held: Held[] = [];
          const kept: Held[] = [];
          let count = 0;
          const parser = new FrameParser(1 << 20, (_header, _at, payload, memory) => {
            held.push({ payload, mark: count & 0xff, memory });
            count += 1;
            while (held.length > window) {
              const [first] = held.splice(0, 1);
              if (first === undefined) return;
              expect(isWhole(first)).toBe(true);
              const isKept = count % 7 === 0;
              if (isKept) kept.push(first);
              first.memory?.giveBack(first.payload.length, !isKept);
            }
          });
          const stream = Buffer.concat(lengths.map((length, i) => frame(length, i & 0xff)));
          for (let at = 0, i = 0; at < stream.length; i += 1) {
            const end = at + (cuts[i % cuts.length] ?? 1);
            parser.push(stream.subarray(at, end));
            at = end;
          }
          expect(count).toBe(lengths.length);
          expect([...held, ...kept].every(isWhole)).toBe(true);
        },
      ),
      { numRuns: 60 },
    );
  });

  it.each([64, 8 * KIB, 100 * KIB, 1000 * KIB])(
    "frames of %i bytes that are given back use the same few blocks for ever",
    (length) => {
      const held: Held[] = [];
      const blocks = new Set<ArrayBufferLike>();
      const parser = new FrameParser(1 << 20, (_header, _at, payload, memory) => {
        held.push({ payload, mark: 0, memory });
        blocks.add(payload.buffer);
        if (held.length < 4) return;
        const [first] = held.splice(0, 1);
        first?.memory?.giveBack(first.payload.length, true);
      });
      const stream = Buffer.concat(Array.from({ length: 40 }, () => frame(length, 0)));
      for (let round = 0; round < 3; round += 1) {
        for (let at = 0; at < stream.length; at += 200_000) parser.push(stream.subarray(at, at + 200_000));
      }
      expect(blocks.size).toBeLessThanOrEqual(6);
    },
  );
});
