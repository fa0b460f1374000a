/** From this part of the limit on memory is scarce, and until less than the other is left. */
const SCARCE = 1 / 2;
const ENOUGH = 1 / 4;

/** Memory of what waits at one address: whether it is scarce, so that senders are to hold back, and whether its limit is exceeded nevertheless. */
export class MemoryPressure {
  #bytes = 0;
  #isScarce = false;

  constructor(
    private readonly maxBytes: number,
    private readonly onChange: (isScarce: boolean) => void,
  ) {}

  get isExceeded(): boolean {
    return this.#bytes > this.maxBytes;
  }

  /** So many bytes have come, or gone. */
  add(bytes: number): void {
    this.#bytes += bytes;
    const isNow = this.#isScarce ? this.#bytes >= this.maxBytes * ENOUGH : this.#bytes > this.maxBytes * SCARCE;
    if (isNow === this.#isScarce) return;
    this.#isScarce = isNow;
    this.onChange(isNow);
  }
}
