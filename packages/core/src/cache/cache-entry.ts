import type { Destination } from "../sdk/destination.js";

/** Where a cached value came from. */
export type CacheOrigin = "provider" | "file" | "learned" | "local";

/** Why nothing was found; kept in negative entries and turned into an error for each request. */
export type NegativeReason =
  | { readonly kind: "no-data" }
  | { readonly kind: "timeout" }
  | { readonly kind: "sa-status" /** MAD status, host form. */; readonly saStatus: number };

/**
 * The world an entry belongs to: an endpoint in one generation. Compared by identity, so that a new generation makes every older
 * entry and every answer still under way worthless at once.
 */
export interface CacheScope {
  /** Prefix of this endpoint's keys, the same in every generation. */
  readonly prefix: string;
  readonly generation: number;
}

interface Common {
  readonly key: string;
  readonly scope: CacheScope;
  /** What was asked, for listings and for flushing one destination; absent where the question had none. */
  readonly subject: Destination;
  readonly provider: string;
  /** On the clock, milliseconds. */
  readonly createdAt: number;
  /** On the clock; `Infinity` = never. */
  readonly expiresAt: number;
}

export interface PositiveEntry<V> extends Common {
  readonly state: "positive";
  readonly origin: CacheOrigin;
  readonly value: V;
  /** Tells the entry from all others that have been there, also from one with the same key. */
  readonly ground: number;
  /**
   * On the clock: who asks from then on is served, and has the entry refreshed in the background. `Infinity` = never, also while a
   * refresh is under way. It is about the entry's upkeep, not about what it says, and may be another one at the next look.
   */
  readonly refreshAt: number;
  /** On the clock: since when nobody has confirmed what it says, though the surroundings have changed; absent = nothing is in doubt. */
  readonly keptAt?: number;
}

export interface NegativeEntry extends Common {
  readonly state: "negative";
  readonly reason: NegativeReason;
}
