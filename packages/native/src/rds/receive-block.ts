import { blockSize } from "./received.js";

/** Room for control messages that a socket can ask for. */
const MAX_CONTROL = 4096;
/** What a block has for messages at least: a batch of short ones is taken with one call. */
const BATCH_BYTES = 1 << 20;

/**
 * The memory that receives are made into. All sockets of a thread share one, since what a receive gives is copied out before the next. It grows to the
 * longest message that was asked for; pages of it that no message has reached cost nothing.
 */
export class ReceiveBlock {
  #block = Buffer.alloc(0);

  /** A block for `max` messages, the first of up to `limit` bytes. */
  for(max: number, limit: number): Buffer {
    const size = blockSize(max, Math.max(limit, BATCH_BYTES), MAX_CONTROL);
    if (this.#block.length < size) this.#block = Buffer.allocUnsafeSlow(size);
    return this.#block;
  }
}
