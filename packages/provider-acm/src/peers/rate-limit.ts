import type { Clock } from "@verbena/core/sdk";
import { LruMap } from "./lru-map.js";

/** How fast something may happen. */
export interface RateLimit {
  /** At once. */
  readonly burst: number;
  readonly perSecond: number;
}

interface Bucket {
  tokens: number;
  at: number;
}

/** A token bucket for each key, of which the last `limit` are remembered. */
export class RateLimiter<K> {
  readonly #buckets: LruMap<K, Bucket>;

  constructor(
    private readonly rate: RateLimit,
    private readonly clock: Clock,
    limit: number,
  ) {
    this.#buckets = new LruMap(limit);
  }

  /** Whether it may happen once more now; if so, it has. */
  take(key: K): boolean {
    const { burst, perSecond } = this.rate;
    const now = this.clock.now();
    let bucket = this.#buckets.get(key);
    if (bucket === undefined) {
      bucket = { tokens: burst, at: now };
      this.#buckets.set(key, bucket);
    }
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) * perSecond) / 1000);
    bucket.at = now;
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }
}
