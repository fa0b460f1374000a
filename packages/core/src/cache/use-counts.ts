/** Few values that many refer to, by number; one that nobody refers to any more makes room. */
export class UseCounts<T> {
  readonly #numbers = new Map<T, number>();
  readonly #values: T[] = [];
  readonly #counts: number[] = [];
  readonly #free: number[] = [];

  /** How many there are. */
  get size(): number {
    return this.#numbers.size;
  }

  has(value: T): boolean {
    return this.#numbers.has(value);
  }

  /** The value's number, with one more who refers to it. */
  take(value: T): number {
    const present = this.#numbers.get(value);
    if (present !== undefined) {
      this.#counts[present] = (this.#counts[present] ?? 0) + 1;
      return present;
    }
    const number = this.#free.pop() ?? this.#values.length;
    this.#values[number] = value;
    this.#counts[number] = 1;
    this.#numbers.set(value, number);
    return number;
  }

  /** One less who refers to it; true: it was the last. */
  release(number: number): boolean {
    const count = (this.#counts[number] ?? 0) - 1;
    this.#counts[number] = count;
    if (count > 0) return false;
    this.#numbers.delete(this.value(number));
    this.#free.push(number);
    return true;
  }

  value(number: number): T {
    return this.#values[number] as T;
  }
}
