/** Items a slow reader may fall behind before the oldest are dropped. */
export const FEED_LIMIT = 1_024;

/** The reader fell behind; this many items before the next one are lost. */
export interface Lagged {
  readonly type: "lagged";
  readonly dropped: number;
}

/** Hands every item to every reader. A reader that falls behind loses the oldest ones and is told how many. */
export class Feed<T> {
  readonly #readers = new Set<Reader<T>>();
  #isClosed = false;

  /** Whether anybody listens: what costs something to make need not be made otherwise. */
  get hasReaders(): boolean {
    return this.#readers.size > 0;
  }

  emit(item: T): void {
    for (const reader of this.#readers) reader.push(item);
  }

  /** What `isWanted`, from now on; ends with `signal`, with `return()`, or when the feed is closed. */
  open(signal?: AbortSignal, isWanted: (item: T) => boolean = () => true): AsyncIterableIterator<T | Lagged> {
    const reader = new Reader<T>(isWanted, () => {
      this.#readers.delete(reader);
      signal?.removeEventListener("abort", reader.end);
    });
    if (this.#isClosed || signal?.aborted === true) {
      reader.end();
      return reader;
    }
    this.#readers.add(reader);
    signal?.addEventListener("abort", reader.end, { once: true });
    return reader;
  }

  close(): void {
    this.#isClosed = true;
    for (const reader of [...this.#readers]) reader.end();
  }
}

class Reader<T> implements AsyncIterableIterator<T | Lagged> {
  readonly #buffer: T[] = [];
  readonly #waiting: ((result: IteratorResult<T | Lagged>) => void)[] = [];
  #dropped = 0;
  #isEnded = false;

  constructor(
    private readonly isWanted: (item: T) => boolean,
    private readonly onEnd: () => void,
  ) {}

  push(item: T): void {
    if (!this.isWanted(item)) return;
    const waiting = this.#waiting.shift();
    if (waiting !== undefined) {
      waiting({ value: item, done: false });
      return;
    }
    this.#buffer.push(item);
    if (this.#buffer.length <= FEED_LIMIT) return;
    this.#buffer.shift();
    this.#dropped += 1;
  }

  readonly end = (): void => {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.onEnd();
    for (const waiting of this.#waiting.splice(0)) waiting({ value: undefined, done: true });
  };

  next(): Promise<IteratorResult<T | Lagged>> {
    if (this.#dropped > 0) {
      const dropped = this.#dropped;
      this.#dropped = 0;
      return Promise.resolve({ value: { type: "lagged", dropped }, done: false });
    }
    const item = this.#buffer.shift();
    if (item !== undefined) return Promise.resolve({ value: item, done: false });
    if (this.#isEnded) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  return(): Promise<IteratorResult<T | Lagged>> {
    this.#buffer.length = 0;
    this.end();
    return Promise.resolve({ value: undefined, done: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
