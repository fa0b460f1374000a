/** The longest time for which a daemon may hold a notice back, milliseconds (docs/architecture.md, Notices). */
const CAP_MS = 1_000;
/** The first pause between two batches; it doubles as long as notices keep coming. */
const FIRST_PAUSE_MS = 50;

/**
 * Until when a daemon that is told something has to follow: at once, or, in a storm of notices, when the batch is due. Pauses double, so none
 * of them is longer than what has passed since the storm began, and the first pause more.
 */
export class NoticeStorm {
  #beganMs = Number.NEGATIVE_INFINITY;
  #lastMs = Number.NEGATIVE_INFINITY;

  /** A notice has come; returns the time by which it has been followed. */
  followedByMs(atMs: number): number {
    // After the last batch one more pause has to pass without a notice.
    if (atMs - this.#lastMs > 2 * this.#longestPauseMs(this.#lastMs)) this.#beganMs = atMs;
    const isFirst = this.#beganMs === atMs;
    this.#lastMs = atMs;
    return isFirst ? atMs : atMs + this.#longestPauseMs(atMs);
  }

  #longestPauseMs(atMs: number): number {
    return Math.min(CAP_MS, FIRST_PAUSE_MS + atMs - this.#beganMs);
  }
}
