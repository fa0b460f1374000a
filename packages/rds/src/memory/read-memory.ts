/** Bytes taken from the system at once. */
const BLOCK_SIZE = 256 * 1024;

/**
 * Memory that is read into, by one connection after the other, and then belongs in parts to whoever gets them. What was read and is nobody's is
 * read over.
 */
export class ReadMemory {
  #block = Buffer.allocUnsafeSlow(BLOCK_SIZE);
  #at = 0;

  get block(): Buffer {
    return this.#block;
  }

  /** Where free memory begins. */
  get at(): number {
    return this.#at;
  }

  /** Makes sure that so many bytes are free, at most 256 KiB. */
  reserve(length: number): void {
    if (BLOCK_SIZE - this.#at >= length) return;
    this.#block = Buffer.allocUnsafeSlow(BLOCK_SIZE);
    this.#at = 0;
  }

  /** What is before this position belongs to others now. */
  giveAway(to: number): void {
    this.#at = to;
  }
}
