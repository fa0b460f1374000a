import { Slab } from "./slab.js";

test("pieces do not overlap, and many of them share one block", () => {
  const slab = new Slab();
  const pieces = Array.from({ length: 1000 }, (_, i) => slab.take(i).fill(i & 0xff));
  for (const [i, piece] of pieces.entries()) expect(piece.equals(Buffer.alloc(i, i & 0xff))).toBe(true);
  expect(new Set(pieces.map(({ buffer }) => buffer)).size).toBeLessThan(4);
});

test("a long piece has memory of its own", () => {
  const slab = new Slab();
  const long = slab.take(32 * 1024 + 1);
  expect(long.buffer.byteLength).toBe(long.length);
});
