/**
 * How many queries may be on their way to the SA at once. A seam: a window that adapts to BUSY and time-outs takes the place of the
 * fixed one without the client noticing.
 */
export interface SaWindow {
  /** Whole number, at least 1; read before each send. */
  readonly limit: number;
  /** A query was answered. */
  onAnswer(): void;
  /** The SA said BUSY, or a try went unanswered. `others`: how many more are on their way at this moment. */
  onCongestion(kind: "busy" | "timeout", others: number): void;
}

/** A window that never changes: ibacm's `sa_depth`. */
export function fixedWindow(limit: number): SaWindow {
  return { limit: Math.max(1, Math.floor(limit)), onAnswer: () => undefined, onCongestion: () => undefined };
}

/**
 * A window that follows what the SA can take: it begins at `max`, halves on BUSY or a time-out, and grows by one for each window of answers,
 * between 1 and `max`. What was sent before a halving says nothing about the smaller window: as many of its outcomes as may still be on
 * their way do not halve it again.
 */
export function adaptiveWindow(max: number): SaWindow {
  return new AdaptiveWindow(Math.max(1, Math.floor(max)));
}

class AdaptiveWindow implements SaWindow {
  limit: number;
  /** Answers since the limit last changed. */
  #answers = 0;
  /** Outcomes still to come of what was sent under a larger limit. */
  #former = 0;

  constructor(private readonly max: number) {
    this.limit = max;
  }

  onAnswer(): void {
    if (this.#former > 0) this.#former -= 1;
    this.#answers += 1;
    if (this.#answers < this.limit || this.limit === this.max) return;
    this.limit += 1;
    this.#answers = 0;
  }

  onCongestion(_kind: "busy" | "timeout", others: number): void {
    this.#answers = 0;
    // Some may have been given up without an outcome.
    this.#former = Math.min(this.#former, others + 1);
    if (this.#former > 0) {
      this.#former -= 1;
      return;
    }
    this.#former = others;
    this.limit = Math.max(1, Math.floor(this.limit / 2));
  }
}
