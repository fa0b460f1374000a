import type { Random } from "@verbena/core/sdk";

const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;
/** The last quarter of each pause is drawn by lot: hosts that were refused together come back one by one. */
const LOT = 0.25;

/** Pauses between tries of what may work later: 1, 2, 4 … 60 seconds, the last quarter of each by lot. */
export class Backoff {
  #pauseMs = FIRST_MS;

  constructor(private readonly random: Random) {}

  /** The next pause without its lot, milliseconds. */
  peek(): number {
    return this.#pauseMs;
  }

  next(): number {
    const pause = this.#pauseMs;
    this.#pauseMs = Math.min(LONGEST_MS, 2 * pause);
    return pause * (1 - LOT * this.random());
  }

  reset(): void {
    this.#pauseMs = FIRST_MS;
  }
}
