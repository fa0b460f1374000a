/** Entries taken from the front before the array is cut. */
const CUT_AT = 1024;

/** A queue of constant cost at both ends. */
export class Fifo<T> implements Iterable<T> {
  #entries: (T | undefined)[] = [];
  #head = 0;

  get length(): number {
    return this.#entries.length - this.#head;
  }

  push(entry: T): void {
    this.#entries.push(entry);
  }

  peek(): T | undefined {
    return this.#entries[this.#head];
  }

  /** The entry so far behind the first. */
  at(index: number): T | undefined {
    return this.#entries[this.#head + index];
  }

  shift(): T | undefined {
    if (this.#head === this.#entries.length) return undefined;
    const entry = this.#entries[this.#head];
    this.#entries[this.#head] = undefined;
    this.#head += 1;
    if (this.#head === this.#entries.length) this.#reset([]);
    else if (this.#head >= CUT_AT && this.#head * 2 >= this.#entries.length)
      this.#reset(this.#entries.slice(this.#head));
    return entry;
  }

  /** Puts others in front, in their order. */
  unshiftAll(entries: readonly T[]): void {
    if (entries.length > 0) this.#reset([...entries, ...this]);
  }

  /** Takes out, and returns in order, those that fit. */
  removeWhere(isWanted: (entry: T) => boolean): readonly T[] {
    const all = [...this];
    const removed = all.filter(isWanted);
    if (removed.length > 0) this.#reset(all.filter((entry) => !isWanted(entry)));
    return removed;
  }

  /** Takes all. */
  drain(): readonly T[] {
    const all = [...this];
    this.#reset([]);
    return all;
  }

  *[Symbol.iterator](): Iterator<T> {
    for (let at = this.#head; at < this.#entries.length; at += 1) yield this.#entries[at] as T;
  }

  /** The last one first. */
  *backwards(): Generator<T> {
    for (let at = this.#entries.length - 1; at >= this.#head; at -= 1) yield this.#entries[at] as T;
  }

  #reset(entries: (T | undefined)[]): void {
    this.#entries = entries;
    this.#head = 0;
  }
}
