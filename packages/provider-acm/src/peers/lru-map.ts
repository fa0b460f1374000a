/** A map that keeps at most `limit` entries: the one used longest ago goes first. */
export class LruMap<K, V> {
  readonly #entries = new Map<K, V>();

  constructor(
    private readonly limit: number,
    private readonly onEvict: (value: V, key: K) => void = () => undefined,
  ) {}

  get size(): number {
    return this.#entries.size;
  }

  /** The value, which counts as used. */
  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) {
      this.#entries.delete(key);
      this.#entries.set(key, value);
    }
    return value;
  }

  set(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.limit) return;
    for (const [oldest, evicted] of this.#entries) {
      this.#entries.delete(oldest);
      this.onEvict(evicted, oldest);
      return;
    }
  }

  delete(key: K): void {
    this.#entries.delete(key);
  }

  values(): IterableIterator<V> {
    return this.#entries.values();
  }

  clear(): void {
    this.#entries.clear();
  }
}
