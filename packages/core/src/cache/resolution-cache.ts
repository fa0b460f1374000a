import { LRUCache } from "lru-cache";
import type { Clock } from "../sdk/services.js";
import type { CacheScope, NegativeEntry, PositiveEntry } from "./cache-entry.js";

/** Unknown destinations cost little to ask for again; they must not push known ones out. */
const NEGATIVE_SHARE = 8;
const NEGATIVE_LIMIT = 4_096;

export interface ResolutionCacheOptions {
  readonly clock: Clock;
  /** Most positive entries kept, over all endpoints; the least recently used goes first. */
  readonly maxEntries: number;
  /** A positive entry is not there any more: replaced, dropped, run out or pushed out. */
  readonly onGone?: (entry: object) => void;
}

/**
 * Answers by key, with time to live, memory bound and generation. An entry of another scope than the one asked for is as good as
 * none. Negative entries live beside the positive ones, in a smaller space of their own.
 */
export class ResolutionCache<V extends object> {
  readonly #clock: Clock;
  readonly #positive: LRUCache<string, PositiveEntry<V>>;
  readonly #negative: LRUCache<string, NegativeEntry>;

  constructor(options: ResolutionCacheOptions) {
    this.#clock = options.clock;
    const max = Math.max(1, Math.floor(options.maxEntries));
    const { onGone } = options;
    this.#positive = new LRUCache<string, PositiveEntry<V>>({
      // Not `max`, for which it would make room at once.
      maxSize: max,
      sizeCalculation: () => 1,
      dispose: (entry) => onGone?.(entry),
    });
    this.#negative = new LRUCache({ max: Math.max(1, Math.min(NEGATIVE_LIMIT, Math.ceil(max / NEGATIVE_SHARE))) });
  }

  get size(): number {
    return this.#positive.size + this.#negative.size;
  }

  /** `now` is handed in, since a request looks at several entries at one instant. */
  get(key: string, scope: CacheScope, now: number): PositiveEntry<V> | undefined {
    const entry = this.#positive.get(key);
    if (entry === undefined) return undefined;
    if (entry.scope === scope && entry.expiresAt > now) return entry;
    this.#positive.delete(key);
    return undefined;
  }

  getNegative(key: string, scope: CacheScope, now: number): NegativeEntry | undefined {
    const entry = this.#negative.get(key);
    if (entry === undefined) return undefined;
    if (entry.scope === scope && entry.expiresAt > now) return entry;
    this.#negative.delete(key);
    return undefined;
  }

  put(entry: PositiveEntry<V>): void {
    this.#negative.delete(entry.key);
    this.#positive.set(entry.key, entry);
  }

  putNegative(entry: NegativeEntry): void {
    if (entry.expiresAt <= this.#clock.now()) return;
    this.#positive.delete(entry.key);
    this.#negative.set(entry.key, entry);
  }

  /** Forgets that a destination could not be found, if that is remembered. */
  dropNegative(key: string): void {
    this.#negative.delete(key);
  }

  /** Removes what the predicate picks; returns how many went. */
  drop(pick: (entry: PositiveEntry<V> | NegativeEntry) => boolean): number {
    let count = 0;
    for (const cache of [this.#positive, this.#negative]) {
      for (const [key, entry] of [...cache.entries()]) {
        if (pick(entry) && cache.delete(key)) count += 1;
      }
    }
    return count;
  }

  /** Puts others in the places of the living positive entries that the function gives others for, from the one unused longest on. */
  replace(by: (entry: PositiveEntry<V>) => PositiveEntry<V> | undefined): void {
    const now = this.#clock.now();
    for (const [key, entry] of [...this.#positive.entries()].reverse()) {
      const other = entry.expiresAt > now ? by(entry) : undefined;
      if (other !== undefined) this.#positive.set(key, other);
    }
  }

  /** Living entries; reading them does not count as use. */
  *entries(): IterableIterator<PositiveEntry<V> | NegativeEntry> {
    const now = this.#clock.now();
    for (const cache of [this.#positive, this.#negative]) {
      for (const [, entry] of cache.entries()) if (entry.expiresAt > now) yield entry;
    }
  }
}
