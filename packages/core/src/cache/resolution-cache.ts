import { LRUCache } from "lru-cache";
import type { Clock } from "../sdk/services.js";
import type { CacheScope, NegativeEntry, PositiveEntry } from "./cache-entry.js";
import { type EndMarks, EntryRows, type NewEntry, type ValueCodec } from "./entry-rows.js";

/** Unknown destinations cost little to ask for again; they must not push known ones out. */
const NEGATIVE_SHARE = 8;
const NEGATIVE_LIMIT = 4_096;

export interface ResolutionCacheOptions<V> {
  readonly clock: Clock;
  /** Most positive entries kept, over all endpoints; the least recently used goes first. */
  readonly maxEntries: number;
  /** How values are kept as bytes; absent: as the objects they are. */
  readonly codec?: ValueCodec<V>;
  /** A positive entry is not there any more: replaced, dropped, run out or pushed out. Told is its {@link PositiveEntry.ground}. */
  readonly onGone?: (ground: number) => void;
}

/**
 * Answers by key, with time to live, memory bound and generation. An entry of another scope than the one asked for is as good as
 * none. Negative entries live beside the positive ones, in a smaller space of their own. Positive entries are kept as bytes: what a look gives is
 * made for it and does not change.
 */
export class ResolutionCache<V extends object> {
  readonly #clock: Clock;
  readonly #max: number;
  readonly #rows: EntryRows<V>;
  readonly #onGone: (ground: number) => void;
  readonly #negative: LRUCache<string, NegativeEntry>;

  constructor(options: ResolutionCacheOptions<V>) {
    this.#clock = options.clock;
    this.#max = Math.max(1, Math.floor(options.maxEntries));
    this.#rows = new EntryRows(options.codec);
    this.#onGone = options.onGone ?? (() => undefined);
    const most = Math.max(1, Math.min(NEGATIVE_LIMIT, Math.ceil(this.#max / NEGATIVE_SHARE)));
    this.#negative = new LRUCache({ max: most });
  }

  get size(): number {
    return this.#rows.size + this.#negative.size;
  }

  /** `now` is handed in, since a request looks at several entries at one instant. */
  get(key: string, scope: CacheScope, now: number): PositiveEntry<V> | undefined {
    const row = this.#rows.find(key);
    if (row < 0) return undefined;
    if (this.#rows.scopeOf(row) === scope && this.#rows.expiresAt(row) > now) {
      this.#rows.touch(row);
      return this.#rows.read(row);
    }
    this.#remove(row);
    return undefined;
  }

  getNegative(key: string, scope: CacheScope, now: number): NegativeEntry | undefined {
    const entry = this.#negative.get(key);
    if (entry === undefined) return undefined;
    if (entry.scope === scope && entry.expiresAt > now) return entry;
    this.#negative.delete(key);
    return undefined;
  }

  /** Gives the entry as it is kept. */
  put(entry: NewEntry<V>): PositiveEntry<V> {
    this.#negative.delete(entry.key);
    this.#removeKey(entry.key);
    if (this.#rows.size >= this.#max) this.#remove(this.#rows.oldest);
    return this.#rows.read(this.#rows.add(entry));
  }

  putNegative(entry: NegativeEntry): void {
    if (entry.expiresAt <= this.#clock.now()) return;
    this.#removeKey(entry.key);
    this.#negative.set(entry.key, entry);
  }

  /** From when on the entry is to be refreshed, if it is still there. */
  setRefreshAt({ key, ground }: PositiveEntry<V>, refreshAt: number): void {
    const row = this.#rows.find(key);
    if (row >= 0 && this.#rows.numberOf(row) === ground) this.#rows.setRefreshAt(row, refreshAt);
  }

  /** Forgets that a destination could not be found, if that is remembered. */
  dropNegative(key: string): void {
    this.#negative.delete(key);
  }

  /**
   * Removes what the predicate picks; returns how many went. Positive entries that certainly lead to none of `ends` are not even made: there may be
   * very many.
   */
  drop(pick: (entry: PositiveEntry<V> | NegativeEntry) => boolean, ends?: EndMarks): number {
    let count = 0;
    for (let row = this.#rows.oldest; row >= 0; ) {
      const newer = this.#rows.newerThan(row);
      if ((ends === undefined || this.#rows.leadsTo(row, ends)) && pick(this.#rows.read(row))) {
        this.#remove(row);
        count += 1;
      }
      row = newer;
    }
    for (const [key, entry] of [...this.#negative.entries()]) {
      if (pick(entry) && this.#negative.delete(key)) count += 1;
    }
    return count;
  }

  /** Puts others in the places of the living positive entries that the function gives others for, from the one unused longest on. */
  replace(by: (entry: PositiveEntry<V>) => NewEntry<V> | undefined): void {
    const now = this.#clock.now();
    const last = this.#rows.newest;
    for (let row = this.#rows.oldest; row >= 0; ) {
      const newer = row === last ? -1 : this.#rows.newerThan(row);
      const other = this.#rows.expiresAt(row) > now ? by(this.#rows.read(row)) : undefined;
      if (other !== undefined) this.put(other);
      row = newer;
    }
  }

  /** Living entries; reading them does not count as use. */
  *entries(): IterableIterator<PositiveEntry<V> | NegativeEntry> {
    const now = this.#clock.now();
    for (let row = this.#rows.newest; row >= 0; row = this.#rows.olderThan(row)) {
      if (this.#rows.expiresAt(row) > now) yield this.#rows.read(row);
    }
    for (const [, entry] of this.#negative.entries()) if (entry.expiresAt > now) yield entry;
  }

  #removeKey(key: string): void {
    const row = this.#rows.find(key);
    if (row >= 0) this.#remove(row);
  }

  #remove(row: number): void {
    this.#onGone(this.#rows.remove(row));
  }
}
