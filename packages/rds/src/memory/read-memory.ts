import { BLOCK_SIZE, type Block, BlockPool } from "./block-pool.js";

/**
 * Memory that is read into, by one connection after the other, and then belongs in parts to whoever gets them. What was read and is nobody's is
 * read over, and so is what has been given back.
 */
export class ReadMemory {
  readonly #pool = new BlockPool();
  #block: Block | undefined;

  /** A block of so many bytes, for one piece alone. */
  alone(length: number): Block {
    return this.#pool.take(length);
  }

  /** A block with so many bytes free, at most 256 KiB, behind those that belong to others. */
  reserve(length: number): Block {
    const before = this.#block;
    if (before !== undefined && BLOCK_SIZE - before.at >= length) return before;
    before?.retire();
    const block = this.#pool.take(BLOCK_SIZE);
    block.isCurrent = true;
    this.#block = block;
    return block;
  }
}
