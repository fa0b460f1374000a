import type { Random } from "../sdk/services.js";

/** First pause after BUSY, before jitter. */
export const BUSY_BASE_MS = 50;
/** Longest pause after BUSY, before jitter. */
export const BUSY_CAP_MS = 1_000;

/**
 * Pause before the next try after the `count`-th BUSY in a row (from 1): doubles from {@link BUSY_BASE_MS} to {@link BUSY_CAP_MS}, with
 * the upper half drawn by lot, so that clients refused together do not come back together.
 */
export function busyPause(count: number, random: Random): number {
  const full = Math.min(BUSY_CAP_MS, BUSY_BASE_MS * 2 ** Math.min(count - 1, 20));
  return full * (0.5 + random() / 2);
}

/** A try's time-out, up to a tenth longer by lot: what was sent together is not repeated together. */
export function withJitter(timeoutMs: number, random: Random): number {
  return timeoutMs * (1 + random() / 10);
}
