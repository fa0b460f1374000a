/** An async iterator fed by hand: what the fakes hand out where the addon would have an event source. Unbounded: tests only. */
export class PushQueue<T> implements AsyncIterableIterator<T> {
  readonly #items: T[] = [];
  readonly #readers: ((result: IteratorResult<T>) => void)[] = [];
  #ended = false;

  push(item: T): void {
    if (this.#ended) return;
    const reader = this.#readers.shift();
    if (reader === undefined) this.#items.push(item);
    else reader({ value: item, done: false });
  }

  end(): void {
    this.#ended = true;
    for (const reader of this.#readers.splice(0)) reader({ value: undefined, done: true });
  }

  next(): Promise<IteratorResult<T>> {
    const item = this.#items.shift();
    if (item !== undefined) return Promise.resolve({ value: item, done: false });
    if (this.#ended) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve) => {
      this.#readers.push(resolve);
    });
  }

  return(): Promise<IteratorResult<T>> {
    this.end();
    return Promise.resolve({ value: undefined, done: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
