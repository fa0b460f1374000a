import { nativeError } from "../errors.js";

/** What a queue tells its producer. */
export interface QueueFlow {
  /** More than the high-water mark waits: stop producing. */
  readonly pause: () => void;
  /** Room again, or the first item is wanted. */
  readonly resume: () => void;
}

/** Where {@link SingleReaderQueue} says "enough" if its owner names no other mark. */
export const DEFAULT_HIGH_WATER = 256;

/**
 * Hands items from callbacks to one async iterator at a time. Not pulling is the back-pressure: past the high-water mark the producer is
 * paused, and resumed when the reader has caught up by half. What was queued before the end is still delivered.
 */
export class SingleReaderQueue<T> {
  readonly #items: T[] = [];
  /** Index of the next item; shifting an array one by one is slow for long queues. */
  #head = 0;
  #waiting: { resolve: (result: IteratorResult<T>) => void; reject: (error: Error) => void } | undefined;
  #isEnded = false;
  #error: Error | undefined;
  #isPaused = false;
  #reader: object | undefined;

  constructor(
    /** Names the stream in errors. */
    private readonly what: string,
    private readonly flow: QueueFlow,
    private readonly highWater: number = DEFAULT_HIGH_WATER,
  ) {}

  /** Items that nobody has taken yet. */
  get length(): number {
    return this.#items.length - this.#head;
  }

  push(item: T): void {
    if (this.#isEnded) return;
    const waiting = this.#waiting;
    if (waiting !== undefined) {
      this.#waiting = undefined;
      waiting.resolve({ done: false, value: item });
      return;
    }
    this.#items.push(item);
    if (!this.#isPaused && this.length >= this.highWater) {
      this.#isPaused = true;
      this.flow.pause();
    }
  }

  /** The next item, without waiting; `undefined` if there is none. For an owner whose reader has gone. */
  takeNow(): T | undefined {
    return this.length > 0 ? this.#take() : undefined;
  }

  /** Ends the stream. With `discard` the items that wait are dropped: the handle is closed and nothing of it is of use any more. */
  end(discard = false): void {
    if (discard) this.#clear();
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#settle();
  }

  /** Ends the stream with an error, delivered once, after the items that wait. */
  fail(error: Error): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#error = error;
    this.#settle();
  }

  /** The reader. Throws `VERBENA_NATIVE_BUSY` while there is another. */
  read(): AsyncIterableIterator<T> {
    if (this.#reader !== undefined) throw nativeError("VERBENA_NATIVE_BUSY", { details: { what: this.what } });
    const reader: AsyncIterableIterator<T> = {
      next: () => (this.#reader === reader ? this.#next() : Promise.resolve({ done: true, value: undefined })),
      return: () => {
        if (this.#reader === reader) this.#leave();
        return Promise.resolve({ done: true, value: undefined });
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
    this.#reader = reader;
    return reader;
  }

  #next(): Promise<IteratorResult<T>> {
    if (this.length > 0) return Promise.resolve({ done: false, value: this.#take() });
    if (this.#error !== undefined) {
      const error = this.#error;
      this.#error = undefined;
      return Promise.reject(error);
    }
    if (this.#isEnded) return Promise.resolve({ done: true, value: undefined });
    if (this.#waiting !== undefined) {
      return Promise.reject(nativeError("VERBENA_NATIVE_BUSY", { details: { what: this.what } }));
    }
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  #take(): T {
    const item = this.#items[this.#head] as T;
    this.#head++;
    if (this.#head === this.#items.length || this.#head >= 1024) {
      this.#items.splice(0, this.#head);
      this.#head = 0;
    }
    if (this.#isPaused && this.length <= this.highWater / 2) {
      this.#isPaused = false;
      this.flow.resume();
    }
    return item;
  }

  #settle(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined) return;
    if (this.#error === undefined) {
      waiting.resolve({ done: true, value: undefined });
    } else {
      waiting.reject(this.#error);
      this.#error = undefined;
    }
  }

  #leave(): void {
    this.#reader = undefined;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve({ done: true, value: undefined });
  }

  #clear(): void {
    this.#items.length = 0;
    this.#head = 0;
    this.#error = undefined;
  }
}
