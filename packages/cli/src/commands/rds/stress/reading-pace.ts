import { setTimeout } from "node:timers/promises";

/** How fast a side may read. */
export interface ReadingPace {
  /** Takes leave to read one message, if there is any. */
  take(): boolean;
  /** There was no message. */
  giveBack(): void;
  readonly isSpent: boolean;
  /** Waits until one may be read again. */
  next(signal: AbortSignal): Promise<void>;
}

/** As fast as messages come. */
export const UNHURRIED: ReadingPace = {
  take: () => true,
  giveBack: () => undefined,
  isSpent: false,
  next: () => Promise.resolve(),
};

/** So many messages a second, by a clock of milliseconds, and none saved up for longer than a hundredth of a second. */
export class LimitedPace implements ReadingPace {
  #at: number;
  #left = 0;

  constructor(
    private readonly perSecond: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#at = now();
  }

  take(): boolean {
    this.#earn();
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }

  giveBack(): void {
    this.#left += 1;
  }

  get isSpent(): boolean {
    this.#earn();
    return this.#left < 1;
  }

  async next(signal: AbortSignal): Promise<void> {
    await setTimeout(Math.ceil(((1 - this.#left) * 1000) / this.perSecond), undefined, { signal });
  }

  #earn(): void {
    const now = this.now();
    const most = Math.max(1, this.perSecond / 100);
    this.#left = Math.min(most, this.#left + ((now - this.#at) * this.perSecond) / 1000);
    this.#at = now;
  }
}
