/** Bytes taken from the system at once. */
const SLAB_SIZE = 256 * 1024;
/** Longer pieces are taken from the system by themselves. */
const MAX_PIECE = SLAB_SIZE / 8;

/**
 * Memory for what comes and goes in about the order of its coming: messages. Taking a piece of a slab costs a fraction of an allocation of its
 * own, which the collector has to track. A slab stays as long as the last of its pieces.
 */
export class Slab {
  #block: Buffer | undefined;
  #at = 0;

  /** So many bytes, with whatever was in them before. */
  take(length: number): Buffer {
    if (length > MAX_PIECE) return Buffer.allocUnsafeSlow(length);
    if (this.#block === undefined || this.#at + length > SLAB_SIZE) {
      this.#block = Buffer.allocUnsafeSlow(SLAB_SIZE);
      this.#at = 0;
    }
    const start = this.#at;
    this.#at = start + length;
    return this.#block.subarray(start, this.#at);
  }
}
