/** Last share of an entry's life in which it is refreshed when asked for. */
export const DEFAULT_REFRESH_SHARE = 0.1;

/** Shortest pause between a refresh that failed and the next one, milliseconds. */
const MIN_PAUSE_MS = 1_000;

/** When the last part of a life begins; `Infinity` for an entry that lives for ever, or when nothing is to be refreshed. */
export function refreshTime(createdAt: number, expiresAt: number, share: number): number {
  if (share <= 0 || expiresAt === Number.POSITIVE_INFINITY) return Number.POSITIVE_INFINITY;
  return expiresAt - (expiresAt - createdAt) * share;
}

/**
 * When to try again after a refresh that failed: after half of what is left, so that an entry sees a handful of tries in its last part,
 * however long that is.
 */
export function nextRefreshTime(now: number, expiresAt: number): number {
  return now + Math.max(MIN_PAUSE_MS, (expiresAt - now) / 2);
}
