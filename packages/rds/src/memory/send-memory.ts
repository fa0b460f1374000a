import type { BlockWatch } from "./block-watch.js";

/** Bytes taken from the system at once. */
const BLOCK_SIZE = 256 * 1024;
/** Longer pieces have blocks of their own, whose sizes are multiples of this. */
const MAX_PIECE = BLOCK_SIZE / 8;
/** Bytes of blocks that are kept for later. */
const MAX_FREE = 8 << 20;

/** Memory for pieces one behind the other. */
export class SendBlock {
  readonly bytes: Buffer;
  /** End of the last piece. */
  at = 0;
  /** Bytes of pieces that have not been given back. */
  held = 0;
  /** A piece was given back that may still be read. */
  isSpoilt = false;

  constructor(
    size: number,
    private readonly memory: SendMemory,
  ) {
    this.bytes = Buffer.allocUnsafeSlow(size);
  }

  /** The next bytes, with whatever was in them before. */
  cut(length: number): Buffer {
    const start = this.at;
    this.at = start + length;
    this.held += length;
    return this.bytes.subarray(start, this.at);
  }

  /** Whether the pieces that are held are not worth the block. */
  get isSparse(): boolean {
    return this.held < this.bytes.length / 4;
  }

  /** A piece of so many bytes is not needed any more. `isFree`: nobody reads it any more either. */
  giveBack(length: number, isFree: boolean): void {
    this.held -= length;
    if (!isFree) this.isSpoilt = true;
    if (this.held === 0) this.memory.emptied(this);
  }
}

/**
 * Memory of messages on their way out, which comes back when they are acknowledged, mostly in the order in which it was taken. The same memory
 * is used again and again then: it is in the processor's caches, and the collector has nothing to do.
 */
export class SendMemory {
  readonly #free = new Map<number, SendBlock[]>();
  #freeBytes = 0;
  #current: SendBlock | undefined;

  constructor(private readonly watch: Pick<BlockWatch, "grew">) {}

  /** A block to cut so many bytes from, at once. */
  blockFor(length: number): SendBlock {
    if (length > MAX_PIECE) return this.#take(Math.ceil(length / MAX_PIECE) * MAX_PIECE);
    let block = this.#current;
    if (block === undefined || block.at + length > BLOCK_SIZE) {
      block = this.#take(BLOCK_SIZE);
      this.#current = block;
    }
    return block;
  }

  /** All pieces of the block have been given back. */
  emptied(block: SendBlock): void {
    if (block.isSpoilt) {
      if (block === this.#current) this.#current = undefined;
      return;
    }
    block.at = 0;
    const size = block.bytes.length;
    if (block === this.#current || this.#freeBytes + size > MAX_FREE) return;
    this.#freeBytes += size;
    const alike = this.#free.get(size);
    if (alike === undefined) this.#free.set(size, [block]);
    else alike.push(block);
  }

  #take(size: number): SendBlock {
    const block = this.#free.get(size)?.pop();
    if (block === undefined) {
      this.watch.grew(size);
      return new SendBlock(size, this);
    }
    this.#freeBytes -= size;
    return block;
  }
}
