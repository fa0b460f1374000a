import { Stragglers, type Tenant } from "./stragglers.js";

const KIB = 1024;

/** Holds the first bytes of a block of its own, or of one that is given. */
class Holder implements Tenant {
  held: Buffer | undefined;

  constructor(length: number, block = Buffer.alloc(100 * KIB, length)) {
    this.held = block.subarray(0, length);
  }

  move(copy: Buffer): void {
    this.held = copy;
  }
}

const memoryOf = (holders: readonly Holder[]): number =>
  [...new Set(holders.map(({ held }) => held?.buffer))].reduce((sum, buffer) => sum + (buffer?.byteLength ?? 0), 0);

describe("small pieces of big blocks", () => {
  it("are moved out, unchanged, once newer blocks fill the limit", () => {
    const stragglers = new Stragglers(400 * KIB);
    const holders = Array.from({ length: 50 }, (_, i) => new Holder(i + 1));
    for (const holder of holders) stragglers.note(holder);
    expect(memoryOf(holders)).toBeLessThan(410 * KIB);
    expect(holders.map(({ held }) => held?.equals(Buffer.alloc(held.length, held.length)))).toEqual(
      Array.from({ length: 50 }, () => true),
    );
  });

  it("stay where they are as long as their blocks are few, and large ones for ever", () => {
    const stragglers = new Stragglers(400 * KIB);
    const block = Buffer.alloc(100 * KIB);
    const small = Array.from({ length: 50 }, (_, i) => new Holder(i + 1, block));
    const large = Array.from({ length: 50 }, () => new Holder(25 * KIB));
    for (const holder of [...small, ...large]) stragglers.note(holder);
    expect(small.every(({ held }) => held?.buffer === block.buffer)).toBe(true);
    expect(memoryOf(large)).toBe(5000 * KIB);
  });

  it("are forgotten when they are not needed any more", () => {
    const stragglers = new Stragglers(0);
    const gone = new Holder(10);
    const move = jest.spyOn(gone, "move");
    stragglers.note(gone);
    gone.held = undefined;
    stragglers.note(new Holder(10));
    expect(move).not.toHaveBeenCalled();
  });
});
