import type { EngineChange } from "./contract.js";

/** Changes a slow reader may fall behind before the oldest are dropped. */
export const FEED_LIMIT = 1_024;

/** Hands every change to every reader. A reader that falls behind loses the oldest changes and is told how many. */
export class ChangeFeed {
  readonly #readers = new Set<Reader>();
  #isClosed = false;

  emit(change: EngineChange): void {
    for (const reader of this.#readers) reader.push(change);
  }

  /** From now on; ends with `signal`, with `return()`, or when the engine closes. */
  open(signal?: AbortSignal): AsyncIterableIterator<EngineChange> {
    const reader: Reader = new Reader(() => {
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

class Reader implements AsyncIterableIterator<EngineChange> {
  readonly #buffer: EngineChange[] = [];
  readonly #waiting: ((result: IteratorResult<EngineChange>) => void)[] = [];
  #dropped = 0;
  #isEnded = false;

  constructor(private readonly onEnd: () => void) {}

  push(change: EngineChange): void {
    const waiting = this.#waiting.shift();
    if (waiting !== undefined) {
      waiting({ value: change, done: false });
      return;
    }
    this.#buffer.push(change);
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

  next(): Promise<IteratorResult<EngineChange>> {
    if (this.#dropped > 0) {
      const dropped = this.#dropped;
      this.#dropped = 0;
      return Promise.resolve({ value: { type: "lagged", dropped }, done: false });
    }
    const change = this.#buffer.shift();
    if (change !== undefined) return Promise.resolve({ value: change, done: false });
    if (this.#isEnded) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  return(): Promise<IteratorResult<EngineChange>> {
    this.#buffer.length = 0;
    this.end();
    return Promise.resolve({ value: undefined, done: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
