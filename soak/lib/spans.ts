/** Times in which something was so, one after the other, machine time in milliseconds. */
export class Spans {
  readonly #ended: (readonly [fromMs: number, toMs: number])[] = [];
  #fromMs: number | undefined;

  /** It is so from now on; nothing if it was. */
  begin(atMs: number): void {
    this.#fromMs ??= atMs;
  }

  /** It is so no longer; nothing if it was not. What ends as it begins has never been. */
  end(atMs: number): void {
    if (this.#fromMs !== undefined && atMs > this.#fromMs) this.#ended.push([this.#fromMs, atMs]);
    this.#fromMs = undefined;
  }

  /** Whether it was so at any instant from `fromMs` to `toMs`. */
  touches(fromMs: number, toMs: number): boolean {
    if (this.#fromMs !== undefined && this.#fromMs <= toMs) return true;
    for (let index = this.#ended.length - 1; index >= 0; index--) {
      const [begin, end] = this.#ended[index] ?? [0, 0];
      if (end < fromMs) return false;
      if (begin <= toMs) return true;
    }
    return false;
  }
}
