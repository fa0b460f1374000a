import type { Random } from "@verbena/core/sdk";

/** Longest wait before the next try, before the lot is drawn: `net.rds.reconnect_max_delay_ms`. */
const MAX_MS = 1_000;

/** Waits between tries to connect, as the kernel makes them: at once, then by lot below a bound that doubles up to a second. */
export class BackOff {
  #boundMs = 0;

  constructor(
    /** The bound after the first wait: `net.rds.reconnect_min_delay_ms`. */
    private readonly minMs: number,
    private readonly random: Random,
  ) {}

  /** The wait before the next try, milliseconds; not less than `leastMs`. */
  next(leastMs = 0): number {
    const waitMs = Math.max(leastMs, this.random() * this.#boundMs);
    this.#boundMs = Math.min(MAX_MS, Math.max(this.minMs, 2 * this.#boundMs));
    return waitMs;
  }

  /** The next try need not wait. */
  reset(): void {
    this.#boundMs = 0;
  }
}
