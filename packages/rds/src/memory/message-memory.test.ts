import { MessageMemory } from "./message-memory.js";

const KIB = 1024;
const memory = (): MessageMemory => new MessageMemory();
const cut = (from: MessageMemory, length: number) => {
  const block = from.blockFor(length);
  return { block, bytes: block.cut(length) };
};

test("pieces do not overlap, whatever was given back in between", () => {
  const from = memory();
  const held: { readonly mark: number; readonly piece: ReturnType<typeof cut> }[] = [];
  for (let i = 0; i < 20_000; i += 1) {
    const piece = cut(from, 1 + ((i * 7919) % (40 * KIB)));
    piece.bytes.fill(i & 0xff);
    held.push({ mark: i & 0xff, piece });
    while (held.length > i % 40) {
      const [first] = held.splice(0, 1);
      if (first === undefined) break;
      expect([first.piece.bytes.at(0), first.piece.bytes.at(-1)]).toEqual([first.mark, first.mark]);
      first.piece.block.giveBack(first.piece.bytes.length, true);
    }
  }
});

test.each([100, 8 * KIB, 100 * KIB, 1000 * KIB])(
  "pieces of %i bytes that are given back in order use the same few blocks for ever",
  (length) => {
    const from = memory();
    const blocks = new Set<ArrayBufferLike>();
    const held = Array.from({ length: 4 }, () => cut(from, length));
    for (let i = 0; i < 10_000; i += 1) {
      held.shift()?.block.giveBack(length, true);
      held.push(cut(from, length));
      blocks.add(held.at(-1)?.bytes.buffer ?? new ArrayBuffer(0));
    }
    expect(blocks.size).toBeLessThanOrEqual(6);
  },
);

test("a piece that may still be read is not used again, though all of its block has been given back", () => {
  const from = memory();
  const kept = cut(from, 100);
  kept.bytes.fill(7);
  kept.block.giveBack(100, false);
  for (let i = 0; i < 10_000; i += 1) {
    const { block, bytes } = cut(from, 1000);
    bytes.fill(0);
    block.giveBack(1000, true);
  }
  expect(kept.bytes.equals(Buffer.alloc(100, 7))).toBe(true);
});

test("many small pieces share a block", () => {
  const from = memory();
  const pieces = Array.from({ length: 1000 }, (_, i) => cut(from, i));
  expect(new Set(pieces.map(({ bytes }) => bytes.buffer)).size).toBeLessThan(4);
});

test("no more than 8 MiB are kept for later", () => {
  const from = memory();
  const held = Array.from({ length: 100 }, () => cut(from, 1000 * KIB));
  for (const { block } of held) block.giveBack(1000 * KIB, true);
  const known = new Set(held.map(({ bytes }) => bytes.buffer));
  const again = Array.from({ length: 100 }, () => cut(from, 1000 * KIB));
  expect(again.filter(({ bytes }) => known.has(bytes.buffer))).toHaveLength(8);
});
