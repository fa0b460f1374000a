import { BlockWatch, isSmallPart, movedOut } from "./block-watch.js";

const KIB = 1024;
const block = (): Buffer => Buffer.alloc(100 * KIB);

function watch(maxBytes: number) {
  let times = 0;
  const made = new BlockWatch(maxBytes, () => {
    times += 1;
  });
  return { watch: made, times: () => times };
}

test("says so each time that new blocks of more than the limit have come, each counted once", () => {
  const { watch: watched, times } = watch(400 * KIB);
  const blocks = Array.from({ length: 20 }, block);
  for (const one of blocks) for (let at = 0; at < 50; at += 1) watched.note(one.subarray(at, at + 10));
  expect(times()).toBe(4);
});

test("blocks that take turns are not counted anew, nor pieces that are worth their block", () => {
  const { watch: watched, times } = watch(400 * KIB);
  const [first, second] = [block(), block()];
  for (let at = 0; at < 1000; at += 1) {
    watched.note(first.subarray(at, at + 10));
    watched.note(second.subarray(at, at + 10));
    watched.note(block().subarray(0, 25 * KIB));
  }
  expect(times()).toBe(0);
});

test("what is moved out has the same bytes and memory of its own", () => {
  const piece = block().fill(7).subarray(5, 15);
  expect([isSmallPart(piece), isSmallPart(movedOut(piece))]).toEqual([true, false]);
  expect(movedOut(piece).equals(piece)).toBe(true);
});
