import type { Random } from "../sdk/services.js";

/** Time-outs in a row, none of them sent before the one ahead of it, after which the SA is left alone. */
export const DEFAULT_BREAKER_AFTER = 5;
/** First pause before the SA is tried again, milliseconds, before jitter. */
export const DEFAULT_BREAKER_PAUSE_MS = 1_000;
/** Longest pause, before jitter. */
export const BREAKER_CAP_MS = 60_000;

/**
 * `closed`: the SA is asked. `open`: it is left alone. `half-open`: one question is on its way to find out how it is; all others are refused
 * as before.
 */
export type SaBreakerState = "closed" | "open" | "half-open";

export interface SaBreakerOptions {
  /** Time-outs in a row that open it; 0 = it never opens. Default {@link DEFAULT_BREAKER_AFTER}. */
  readonly after?: number;
  /** Milliseconds; doubles with each probe that fails, up to {@link BREAKER_CAP_MS}. Default {@link DEFAULT_BREAKER_PAUSE_MS}. */
  readonly pauseMs?: number;
  readonly random: Random;
}

/**
 * Stops asking an SA that does not answer. Pure: time is handed in, milliseconds on the clock. Time-outs count one after the other: a hundred
 * questions sent together and lost together are one sign of silence, not a hundred.
 */
export class SaBreaker {
  #state: SaBreakerState = "closed";
  #silences = 0;
  /** When the last time-out that counted happened. */
  #lastSilence = Number.NEGATIVE_INFINITY;
  /** Probes in a row that failed. */
  #failedProbes = 0;
  #retryAt = 0;
  readonly #after: number;
  readonly #pauseMs: number;

  constructor(private readonly options: SaBreakerOptions) {
    this.#after = options.after ?? DEFAULT_BREAKER_AFTER;
    this.#pauseMs = options.pauseMs ?? DEFAULT_BREAKER_PAUSE_MS;
  }

  get state(): SaBreakerState {
    return this.#state;
  }

  /** How long the SA is still left alone; 0 unless open. */
  retryInMs(now: number): number {
    return this.#state === "open" ? Math.max(0, this.#retryAt - now) : 0;
  }

  /** Whether a new question may go out. Saying yes to one while not closed makes that one the probe. */
  admit(now: number): boolean {
    if (this.#state === "closed") return true;
    if (this.#state === "half-open" || now < this.#retryAt) return false;
    this.#state = "half-open";
    return true;
  }

  /** The SA said something, if only BUSY: it lives. */
  onSign(): void {
    this.reset();
  }

  /** A try that was sent at `sentAt` went unanswered. Returns whether that has opened the breaker. */
  onSilence(sentAt: number, now: number, isProbe: boolean): boolean {
    if (isProbe) {
      if (this.#state !== "half-open") return false;
      this.#failedProbes += 1;
      return this.#open(now);
    }
    if (this.#state !== "closed" || this.#after === 0 || sentAt < this.#lastSilence) return false;
    this.#lastSilence = now;
    this.#silences += 1;
    return this.#silences >= this.#after && this.#open(now);
  }

  /** The probe ended without saying anything about the SA: the next question is another one. */
  onProbeGone(now: number): void {
    if (this.#state !== "half-open") return;
    this.#state = "open";
    this.#retryAt = now;
  }

  /** The SA answers, or it is another one. */
  reset(): void {
    this.#state = "closed";
    this.#silences = 0;
    this.#failedProbes = 0;
    this.#lastSilence = Number.NEGATIVE_INFINITY;
  }

  #open(now: number): true {
    this.#state = "open";
    const full = Math.min(BREAKER_CAP_MS, this.#pauseMs * 2 ** Math.min(this.#failedProbes, 20));
    // The upper half by lot: hosts that gave up together do not come back together.
    this.#retryAt = now + full * (0.5 + this.options.random() / 2);
    return true;
  }
}
