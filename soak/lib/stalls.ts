import { machineMs } from "./machine-clock.js";

const TICK_MS = 10;

/**
 * How long this process could not take its turn: a busy machine, or a call that waits for the fabric. What happens meanwhile is read late by
 * everybody who lives here, engines included, so it is taken off their time.
 */
export class Stalls {
  readonly #spans: (readonly [fromMs: number, toMs: number])[] = [];
  #lastMs = machineMs();
  readonly #timer = setInterval(() => {
    this.#note();
  }, TICK_MS);

  /** Milliseconds between two moments in which nothing could run here. */
  between(fromMs: number, toMs: number): number {
    this.#note();
    let sum = 0;
    for (let index = this.#spans.length - 1; index >= 0; index--) {
      const [begin, end] = this.#spans[index] ?? [0, 0];
      if (end <= fromMs) break;
      sum += Math.max(0, Math.min(end, toMs) - Math.max(begin, fromMs));
    }
    return sum;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #note(): void {
    const now = machineMs();
    if (now - this.#lastMs > 2 * TICK_MS) this.#spans.push([this.#lastMs + TICK_MS, now]);
    this.#lastMs = now;
  }
}
