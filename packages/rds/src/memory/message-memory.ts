import { BLOCK_SIZE, type Block, BlockPool, STEP } from "./block-pool.js";

/** Memory of messages, each a piece of a block: those on their way out come back when they are acknowledged, those that stay in the process when they are received. */
export class MessageMemory {
  readonly #pool: BlockPool;
  #current: Block | undefined;

  /** `onNew` hears of each block that is made. */
  constructor(onNew?: (bytes: number) => void) {
    this.#pool = new BlockPool(onNew);
  }

  /** A block to cut so many bytes from, at once. */
  blockFor(length: number): Block {
    // Longer pieces have blocks of their own.
    if (length > STEP) return this.#pool.take(length);
    const before = this.#current;
    if (before !== undefined && before.at + length <= BLOCK_SIZE) return before;
    before?.retire();
    const block = this.#pool.take(BLOCK_SIZE);
    block.isCurrent = true;
    this.#current = block;
    return block;
  }
}
