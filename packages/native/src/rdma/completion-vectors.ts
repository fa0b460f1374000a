import { needInteger } from "./option-error.js";

/** Completion vectors of one context, and how many of its queues are on each. */
export class CompletionVectors {
  readonly #queues = new Map<number, number>();

  /**
   * The vector that a new queue gets, `leave` being called when the queue is gone. `auto` is the one with the fewest queues, the lowest of
   * them; with a single vector that is vector 0 always. Throws `VERBENA_NATIVE_OPTION` for a number that is none of `count`.
   */
  take(wanted: number | "auto", count: number): { readonly vector: number; readonly leave: () => void } {
    if (wanted !== "auto") needInteger("vector", wanted, 0, count - 1);
    const vector = wanted === "auto" ? this.#leastUsed(count) : wanted;
    this.#queues.set(vector, this.#on(vector) + 1);
    return { vector, leave: () => this.#queues.set(vector, this.#on(vector) - 1) };
  }

  #leastUsed(count: number): number {
    let least = 0;
    for (let i = 1; i < count; i++) if (this.#on(i) < this.#on(least)) least = i;
    return least;
  }

  #on(vector: number): number {
    return this.#queues.get(vector) ?? 0;
  }
}
