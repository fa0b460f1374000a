import { NumberKind } from "./protocol.js";

/** Numbers of a kind, handed out in blocks of equal size that begin at a multiple of it. */
interface Space {
  readonly first: number;
  /** One above the last. */
  readonly end: number;
}

/** Queue pairs 0 and 1 are the management ones; 24 bits. Key tags are the high 12 bits of a key, and 0 is none. */
const SPACES: Readonly<Record<number, Space>> = {
  [NumberKind.QPN]: { first: 64, end: 2 ** 24 },
  [NumberKind.KEY_TAG]: { first: 1, end: 2 ** 12 },
};

const MAX_BLOCK = 4096;

interface Block<Owner> {
  readonly first: number;
  readonly end: number;
  readonly owner: Owner;
}

/**
 * Queue pair numbers and key tags of all HCAs: each belongs to one attached program until that ends, so that programs on one HCA never
 * use the same, and a packet finds the program its queue pair is in.
 */
export class NumberRegistry<Owner> {
  /** By HCA and kind, in ascending order. */
  private readonly blocks = new Map<string, Block<Owner>[]>();
  /** Where the search for a free place goes on: numbers are used again as late as can be. */
  private readonly next = new Map<string, number>();

  /** @returns the first of `count` numbers in a row, or `undefined` if there are none or the kind is unknown. */
  reserve(hcaIndex: number, kind: number, count: number, owner: Owner): number | undefined {
    const space = SPACES[kind];
    if (space === undefined || count < 1 || count > MAX_BLOCK) return undefined;
    const key = keyOf(hcaIndex, kind);
    const taken = this.blocks.get(key) ?? [];
    const from = this.next.get(key) ?? space.first;
    const first = findGap(taken, { first: from, end: space.end }, count) ?? findGap(taken, space, count);
    if (first === undefined) return undefined;
    const block = { first, end: first + count, owner };
    this.blocks.set(
      key,
      [...taken, block].sort((a, b) => a.first - b.first),
    );
    this.next.set(key, block.end);
    return first;
  }

  /** Who has queue pair `qpn` of that HCA. */
  ownerOfQpn(hcaIndex: number, qpn: number): Owner | undefined {
    const blocks = this.blocks.get(keyOf(hcaIndex, NumberKind.QPN)) ?? [];
    let low = 0;
    let high = blocks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((blocks[middle]?.end ?? 0) <= qpn) low = middle + 1;
      else high = middle;
    }
    const block = blocks[low];
    return block !== undefined && qpn >= block.first ? block.owner : undefined;
  }

  /** Frees everything a program had. */
  releaseAll(owner: Owner): void {
    for (const [key, blocks] of this.blocks) {
      const kept = blocks.filter((block) => block.owner !== owner);
      if (kept.length === 0) this.blocks.delete(key);
      else this.blocks.set(key, kept);
    }
  }
}

function keyOf(hcaIndex: number, kind: number): string {
  return `${hcaIndex}/${kind}`;
}

function findGap<Owner>(taken: readonly Block<Owner>[], space: Space, count: number): number | undefined {
  let at = space.first;
  for (const { first, end } of taken) {
    if (end <= at) continue;
    if (first >= at + count) break;
    at = end;
  }
  return at + count <= space.end ? at : undefined;
}
