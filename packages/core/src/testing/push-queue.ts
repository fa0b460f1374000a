/** An async iterator fed by hand: what the fakes hand out where the addon would have an event source. Unbounded: tests only. */
export class PushQueue<T> implements AsyncIterableIterator<T> {
  readonly #items: T[] = [];
  readonly #readers: ((result: IteratorResult<T>) => void)[] = [];
  #ended = false;

  /** Hands an item to the reader that waits longest, or keeps it. Nothing happens after the end. */
  push(item: T): void {
    if (this.#ended) return;
    const reader = this.#readers.shift();
    if (reader === undefined) this.#items.push(item);
    else reader({ value: item, done: false });
  }

  /** What is kept is still read, then readers are done. */
  end(): void {
    this.#ended = true;
    for (const reader of this.#readers.splice(0)) reader({ value: undefined, done: true });
  }

  /** The next item, when there is one. */
  next(): Promise<IteratorResult<T>> {
    const item = this.#items.shift();
    if (item !== undefined) return Promise.resolve({ value: item, done: false });
    if (this.#ended) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve) => {
      this.#readers.push(resolve);
    });
  }

  /** Ends the queue: the reader has gone. */
  return(): Promise<IteratorResult<T>> {
    this.end();
    return Promise.resolve({ value: undefined, done: true });
  }

  /** The queue is its own iterator. */
  [Symbol.asyncIterator](): this {
    return this;
  }
}
