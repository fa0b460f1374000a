/** Bytes of the blocks that pieces are cut from. */
export const BLOCK_SIZE = 256 * 1024;
/** Sizes of blocks are multiples of this. */
export const STEP = BLOCK_SIZE / 8;
/** Bytes of blocks that are kept for later. */
const MAX_FREE = 8 << 20;

/** Memory for pieces one behind the other, which is used again once all of them have been given back. */
export class Block {
  readonly bytes: Buffer;
  /** End of the last piece. */
  at = 0;
  /** Bytes of pieces that have not been given back. */
  held = 0;
  /** Pieces are cut from it: once it is empty it begins anew, and is not for others. */
  isCurrent = false;
  /** A piece was given back that may still be read. */
  #isSpoilt = false;

  constructor(
    size: number,
    private readonly pool: BlockPool,
  ) {
    this.bytes = Buffer.allocUnsafeSlow(size);
  }

  /** Takes the next bytes, with whatever was in them before; gives their place. */
  take(length: number): number {
    const start = this.at;
    this.at = start + length;
    this.held += length;
    return start;
  }

  /** As {@link take}, but gives the bytes. */
  cut(length: number): Buffer {
    const start = this.take(length);
    return this.bytes.subarray(start, start + length);
  }

  /** Whether the pieces that are held are not worth the block. */
  get isSparse(): boolean {
    return this.held < this.bytes.length / 4;
  }

  /** A piece of so many bytes is not needed any more. `isFree`: nobody reads it any more either. */
  giveBack(length: number, isFree: boolean): void {
    this.held -= length;
    if (!isFree) this.#isSpoilt = true;
    if (this.held > 0 || this.#isSpoilt) return;
    this.at = 0;
    if (!this.isCurrent) this.pool.add(this);
  }

  /** Nothing more is cut from it. */
  retire(): void {
    this.isCurrent = false;
    if (this.held === 0 && !this.#isSpoilt) this.pool.add(this);
  }
}

/**
 * Blocks that come back, mostly in the order in which they were taken. The same memory is used again and again then: it is in the processor's
 * caches, and the collector has nothing to do.
 */
export class BlockPool {
  readonly #free = new Map<number, Block[]>();
  #freeBytes = 0;

  /** `onNew` hears of each block that is made. */
  constructor(private readonly onNew: (bytes: number) => void = () => undefined) {}

  /** An empty block of so many bytes or a little more. */
  take(length: number): Block {
    const size = Math.ceil(length / STEP) * STEP;
    const block = this.#free.get(size)?.pop();
    if (block === undefined) {
      this.onNew(size);
      return new Block(size, this);
    }
    this.#freeBytes -= size;
    return block;
  }

  /** Takes an empty block back. */
  add(block: Block): void {
    const size = block.bytes.length;
    if (this.#freeBytes + size > MAX_FREE) return;
    this.#freeBytes += size;
    const alike = this.#free.get(size);
    if (alike === undefined) this.#free.set(size, [block]);
    else alike.push(block);
  }
}
