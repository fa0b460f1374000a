import type { Clock, Destination, DuplicateAddress, LocalAddress, Logger, Metrics } from "@verbena/core/sdk";
import { Gid } from "@verbena/ib";
import { LruMap } from "../peers/lru-map.js";
import type { AcmCounts } from "../protocol/counts.js";
import { addressKey } from "../wire/acm-address.js";

/** Conflicts that are remembered, so that each is reported once. */
const REMEMBERED = 256;
/** A conflict not seen for so long is taken to be over; hosts that only hold an address may be silent for hours. */
const OVER_MS = 24 * 3_600_000;

export interface DuplicateWatchParts {
  readonly clock: Clock;
  readonly endpoint: string;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly counts: AcmCounts;
  /** GIDs of this host: its own ports may share a name. */
  readonly isOwnGid: (gid: Gid) => boolean;
}

interface Conflict {
  readonly address: string;
  readonly first: Gid;
  readonly second: Gid;
  /** When it was seen last, on the clock. */
  readonly at: number;
}

/** Reports addresses that two hosts claim, each pair once. Who answered first stays. */
export class DuplicateWatch {
  readonly #parts: DuplicateWatchParts;
  readonly #reported = new LruMap<string, Conflict>(REMEMBERED);

  constructor(parts: DuplicateWatchParts) {
    this.#parts = parts;
  }

  /** False: both are of this host, which is no conflict. */
  report(address: Destination | LocalAddress, first: Gid, second: Gid): boolean {
    const { clock, endpoint, logger, metrics, counts, isOwnGid } = this.#parts;
    if (isOwnGid(first) && isOwnGid(second)) return false;
    counts.duplicates += 1;
    metrics.increment("verbena_acm_duplicates_total", { endpoint });
    const [a, b] = [first, second].map((gid) => Gid.format(gid)).sort() as [string, string];
    const key = `${addressKey(address)} ${a} ${b}`;
    const before = this.#reported.get(key);
    const at = clock.now();
    const isNew = before === undefined || at - before.at > OVER_MS;
    this.#reported.set(key, isNew ? { address: address.text, first, second, at } : { ...before, at });
    if (!isNew) return true;
    logger.warn(`two hosts answer for ${address.text}`, {
      address: address.text,
      first: Gid.format(first),
      second: Gid.format(second),
      hint: "give each host an address or name of its own; the first answer is used",
    });
    return true;
  }

  /** Conflicts seen within a day, the latest last. */
  list(): readonly DuplicateAddress[] {
    const now = this.#parts.clock.now();
    return [...this.#reported.values()]
      .filter(({ at }) => now - at <= OVER_MS)
      .map(({ at, ...conflict }) => ({ ...conflict, ageMs: now - at }));
  }

  /** An address has changed hands: what was reported may be news again. */
  forget(): void {
    this.#reported.clear();
  }
}
