/** Last share of an entry's life in which it is refreshed when asked for. */
export const DEFAULT_REFRESH_SHARE = 0.1;

/** Shortest pause between a refresh that failed and the next one, milliseconds. */
const MIN_PAUSE_MS = 1_000;

/** Shortest pause between two tries to confirm a kept entry that nobody answered, milliseconds. */
const MIN_KEPT_PAUSE_MS = 10_000;

/** How entries of one kind are kept fresh. */
export interface RefreshRule {
  /** Last share of a life in which an entry is refreshed; 0 = none: `ageMs` alone counts. */
  readonly share: number;
  /** Age at which it is refreshed at the latest, milliseconds; `Infinity` = at no age. */
  readonly ageMs: number;
}

/** From when on an entry is refreshed: at its age, or when the last part of its life begins; `Infinity` = never. */
export function refreshTime(createdAt: number, expiresAt: number, { share, ageMs }: RefreshRule): number {
  const isEndless = share <= 0 || expiresAt === Number.POSITIVE_INFINITY;
  const lastPart = isEndless ? Number.POSITIVE_INFINITY : expiresAt - (expiresAt - createdAt) * share;
  return Math.min(createdAt + ageMs, lastPart);
}

/**
 * When to try again after a refresh that failed: after half of what is left, so that an entry sees a handful of tries in its last part,
 * however long that is, and no later than an entry is refreshed that is as old.
 */
export function nextRefreshTime(now: number, expiresAt: number, { ageMs }: RefreshRule): number {
  return now + Math.max(MIN_PAUSE_MS, Math.min((expiresAt - now) / 2, ageMs));
}

/** When to try again to confirm an entry kept since `keptAt` that nobody has answered for: after as long as it has been in doubt. */
export function nextConfirmTime(now: number, keptAt: number): number {
  return now + Math.max(MIN_KEPT_PAUSE_MS, now - keptAt);
}
