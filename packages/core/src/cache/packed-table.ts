/** Bytes of a row: what the table itself needs, then what its owner puts there. */
export const ROW_BYTES = 128;
/** First byte that belongs to the owner. */
export const ROW_START = 16;
const ROWS_OF_BLOCK = 1_024;
const NONE = 0xffff_ffff;
/** Words of a row. */
const [HASH, NEWER, OLDER] = [0, 1, 2];
const FIRST_INDEX = 256;

/** Where a row is: its block, and its place in each view of it. */
export interface RowBlock {
  readonly bytes: Buffer;
  readonly words: Uint32Array;
  readonly doubles: Float64Array;
}

/**
 * Rows of 128 bytes in blocks, found by the hash of a key that the owner keeps and compares, in the order of their last use. A row is a number that
 * stays the same until it is removed. Memory grows by a block of a thousand rows and by the index, which doubles.
 */
export class PackedTable {
  readonly #blocks: RowBlock[] = [];
  readonly #isKey: (row: number, key: string) => boolean;
  /** Row + 1 at the place of its hash or behind it; 0: free. At most three quarters are in use. */
  #index = new Uint32Array(FIRST_INDEX);
  #free = NONE;
  #made = 0;
  #newest = NONE;
  #oldest = NONE;
  size = 0;

  constructor(isKey: (row: number, key: string) => boolean) {
    this.#isKey = isKey;
  }

  /** -1: there is none. */
  find(key: string): number {
    const mask = this.#index.length - 1;
    const hash = hashOf(key);
    for (let at = hash & mask; ; at = (at + 1) & mask) {
      const row = (this.#index[at] ?? 0) - 1;
      if (row < 0) return -1;
      if (this.#word(row, HASH) === hash && this.#isKey(row, key)) return row;
    }
  }

  /** A new row, the newest, for a key that has none. */
  add(key: string): number {
    if ((this.size + 1) * 4 > this.#index.length * 3) this.#grow();
    const row = this.#take();
    const hash = hashOf(key);
    this.#set(row, HASH, hash);
    this.#enter(row, hash);
    this.#append(row);
    this.size += 1;
    return row;
  }

  remove(row: number): void {
    this.#unlink(row);
    this.#leave(row);
    this.#set(row, NEWER, this.#free);
    this.#free = row;
    this.size -= 1;
  }

  /** The row has been used. */
  touch(row: number): void {
    if (row === this.#newest) return;
    this.#unlink(row);
    this.#append(row);
  }

  /** The row unused longest, and the next newer one; -1: there is none. */
  get oldest(): number {
    return this.#oldest === NONE ? -1 : this.#oldest;
  }
  get newest(): number {
    return this.#newest === NONE ? -1 : this.#newest;
  }
  newerThan(row: number): number {
    const newer = this.#word(row, NEWER);
    return newer === NONE ? -1 : newer;
  }
  olderThan(row: number): number {
    const older = this.#word(row, OLDER);
    return older === NONE ? -1 : older;
  }

  block(row: number): RowBlock {
    const block = this.#blocks[Math.floor(row / ROWS_OF_BLOCK)];
    if (block === undefined) throw new RangeError("a row that was never made");
    return block;
  }

  /** Offset of the row's first byte in its block. */
  static offset(row: number): number {
    return (row % ROWS_OF_BLOCK) * ROW_BYTES;
  }

  #take(): number {
    if (this.#free !== NONE) {
      const row = this.#free;
      this.#free = this.#word(row, NEWER);
      return row;
    }
    if (this.#made === this.#blocks.length * ROWS_OF_BLOCK) {
      const memory = new ArrayBuffer(ROWS_OF_BLOCK * ROW_BYTES);
      const [words, doubles] = [new Uint32Array(memory), new Float64Array(memory)];
      this.#blocks.push({ bytes: Buffer.from(memory), words, doubles });
    }
    return this.#made++;
  }

  #enter(row: number, hash: number): void {
    const mask = this.#index.length - 1;
    let at = hash & mask;
    while (this.#index[at] !== 0) at = (at + 1) & mask;
    this.#index[at] = row + 1;
  }

  /** Takes the row out of the index and moves up those that a collision had put behind it. */
  #leave(row: number): void {
    const mask = this.#index.length - 1;
    let gap = this.#word(row, HASH) & mask;
    while (this.#index[gap] !== row + 1) gap = (gap + 1) & mask;
    for (let at = (gap + 1) & mask; this.#index[at] !== 0; at = (at + 1) & mask) {
      const other = this.#index[at] ?? 0;
      const home = this.#word(other - 1, HASH) & mask;
      if (((at - home) & mask) < ((at - gap) & mask)) continue;
      this.#index[gap] = other;
      gap = at;
    }
    this.#index[gap] = 0;
  }

  #grow(): void {
    const rows = this.#index;
    this.#index = new Uint32Array(2 * rows.length);
    for (const entry of rows) if (entry !== 0) this.#enter(entry - 1, this.#word(entry - 1, HASH));
  }

  #append(row: number): void {
    this.#set(row, NEWER, NONE);
    this.#set(row, OLDER, this.#newest);
    if (this.#newest === NONE) this.#oldest = row;
    else this.#set(this.#newest, NEWER, row);
    this.#newest = row;
  }

  #unlink(row: number): void {
    const [newer, older] = [this.#word(row, NEWER), this.#word(row, OLDER)];
    if (newer === NONE) this.#newest = older;
    else this.#set(newer, OLDER, older);
    if (older === NONE) this.#oldest = newer;
    else this.#set(older, NEWER, newer);
  }

  #word(row: number, word: number): number {
    return this.block(row).words[(row % ROWS_OF_BLOCK) * (ROW_BYTES / 4) + word] ?? 0;
  }

  #set(row: number, word: number, value: number): void {
    this.block(row).words[(row % ROWS_OF_BLOCK) * (ROW_BYTES / 4) + word] = value;
  }
}

/** FNV-1a over the characters, and a last mixing, since the index uses the low bits. */
function hashOf(key: string): number {
  let hash = 0x811c_9dc5;
  for (let at = 0; at < key.length; at += 1) hash = Math.imul(hash ^ key.charCodeAt(at), 0x0100_0193);
  hash ^= hash >>> 15;
  return hash >>> 0;
}
