import type { OutgoingFrame, PeerSource, TcpStream } from "@verbena/core/sdk";
import fc from "fast-check";
import { FrameBatch, PACK_SIZE } from "./frame-batch.js";

/** A queue of frames of these lengths, each with bytes of its own. */
function source(lengths: readonly number[]): { readonly next: () => OutgoingFrame | undefined; readonly all: Buffer } {
  // Every other run of them lies one behind the other in memory.
  const memory = Buffer.alloc(lengths.reduce((sum, length) => sum + length, 0));
  let used = 0;
  const frames = lengths.map((size, i) => {
    const start = i % 10 < 5 ? used : 0;
    const at = i % 10 < 5 ? memory : Buffer.alloc(size);
    used += size;
    return { bytes: at.subarray(start, start + size).fill((i % 255) + 1), memory: at, start, size };
  });
  let at = 0;
  let end = 0;
  return {
    all: Buffer.concat(frames.map(({ bytes }) => bytes)),
    next: () => {
      const frame = frames[at++];
      if (frame === undefined) return undefined;
      end += frame.size;
      return { ...frame, end };
    },
  };
}

/** A connection that takes so many bytes of each write, and no more than one write at a time. */
function sink(takes: () => number) {
  const parts: Buffer[] = [];
  let length = 0;
  const write = (segments: readonly Uint8Array[], skip: number): number => {
    const room = takes();
    let took = 0;
    let left = skip;
    for (const segment of segments) {
      const part = segment.subarray(Math.min(left, segment.length)).subarray(0, room - took);
      left = Math.max(0, left - segment.length);
      parts.push(Buffer.from(part));
      took += part.length;
      if (took === room) break;
    }
    length += took;
    return took;
  };
  return { stream: { write } as unknown as TcpStream, length: () => length, got: () => Buffer.concat(parts) };
}

test("every byte is written once and in order, however little the kernel takes, though the packed bytes are shared by all connections", () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.integer({ min: 48, max: 700 }), fc.integer({ min: 48, max: 20_000 })), { maxLength: 200 }),
      fc.array(fc.integer({ min: 0, max: 30_000 }), { minLength: 1, maxLength: 20 }),
      (lengths, takes) => {
        const pack = Buffer.allocUnsafeSlow(PACK_SIZE);
        const queue = source(lengths);
        let turn = 0;
        const each = [...takes, 20_000];
        const { stream, length, got } = sink(() => (each[turn++ % each.length] ?? 0) + 1);
        const batch = new FrameBatch(queue as unknown as PeerSource, pack);
        for (let rounds = 0; rounds < 100_000 && length() < queue.all.length; rounds++) {
          batch.writeTo(stream, 1 << 20);
          pack.fill(0);
        }
        expect(got().equals(queue.all)).toBe(true);
        expect(batch.isStuck).toBe(false);
      },
    ),
    { numRuns: 30 },
  );
});

test("a write takes as many frames as fit, up to the budget; what is left waits in the queue", () => {
  const queue = source(Array.from({ length: 100 }, () => 100_000));
  const { stream, got } = sink(() => Number.POSITIVE_INFINITY);
  const batch = new FrameBatch(queue as unknown as PeerSource, Buffer.allocUnsafeSlow(PACK_SIZE));
  expect(batch.writeTo(stream, 1_000_000)).toBeLessThanOrEqual(1_300_000);
  expect(got().length).toBeGreaterThanOrEqual(1_000_000);
});
