import type { Clock } from "../sdk/services.js";

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly callback: () => void;
}

/**
 * A clock that moves only when a test says so. Timers run in order of their time, those of one instant in the order they were set;
 * between two timers every promise that can settle does so.
 */
export class VirtualClock implements Clock {
  #now: number;
  #order = 0;
  readonly #timers = new Set<Timer>();

  constructor(startMs = 0) {
    this.#now = startMs;
  }

  now(): number {
    return this.#now;
  }

  schedule(delayMs: number, callback: () => void): () => void {
    const timer = { at: this.#now + Math.max(0, delayMs), order: this.#order++, callback };
    this.#timers.add(timer);
    return () => {
      this.#timers.delete(timer);
    };
  }

  /** Timers not yet run or cancelled: a leak check. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Lets everything settle that needs no time. */
  async settle(): Promise<void> {
    await drainMicrotasks();
  }

  /** Moves on by `ms`, running what falls due on the way. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await drainMicrotasks();
    for (let timer = this.#next(end); timer !== undefined; timer = this.#next(end)) {
      this.#now = Math.max(this.#now, timer.at);
      this.#timers.delete(timer);
      timer.callback();
      await drainMicrotasks();
    }
    this.#now = end;
  }

  /** Moves on, timer by timer, until `promise` has settled, at most `limitMs`; then returns its outcome. */
  async run<T>(promise: Promise<T>, limitMs = 3_600_000): Promise<T> {
    const state = { isSettled: false };
    const settle = (): void => {
      state.isSettled = true;
    };
    promise.then(settle, settle);
    const end = this.#now + limitMs;
    await drainMicrotasks();
    while (!state.isSettled) {
      const timer = this.#next(end);
      if (timer === undefined) throw new Error(`virtual clock: nothing left to happen within ${limitMs} ms`);
      await this.advance(Math.max(0, timer.at - this.#now));
    }
    return promise;
  }

  #next(end: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.at > end) continue;
      if (next === undefined || timer.at < next.at || (timer.at === next.at && timer.order < next.order)) next = timer;
    }
    return next;
  }
}

/** A turn of the event loop: the microtask queue is empty afterwards. */
function drainMicrotasks(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
