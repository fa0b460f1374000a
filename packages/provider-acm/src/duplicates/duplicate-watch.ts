import type { Destination, LocalAddress, Logger, Metrics } from "@verbena/core/sdk";
import { Gid } from "@verbena/ib";
import { LruMap } from "../peers/lru-map.js";
import type { AcmCounts } from "../protocol/counts.js";
import { addressKey } from "../wire/acm-address.js";

/** Conflicts that are remembered, so that each is reported once. */
const REMEMBERED = 256;

export interface DuplicateWatchParts {
  readonly endpoint: string;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly counts: AcmCounts;
  /** GIDs of this host: its own ports may share a name. */
  readonly isOwnGid: (gid: Gid) => boolean;
}

/** Reports addresses that two hosts claim, each pair once. Who answered first stays. */
export class DuplicateWatch {
  readonly #parts: DuplicateWatchParts;
  readonly #reported = new LruMap<string, true>(REMEMBERED);

  constructor(parts: DuplicateWatchParts) {
    this.#parts = parts;
  }

  report(address: Destination | LocalAddress, first: Gid, second: Gid): void {
    const { endpoint, logger, metrics, counts, isOwnGid } = this.#parts;
    if (isOwnGid(first) && isOwnGid(second)) return;
    counts.duplicates += 1;
    metrics.increment("verbena_acm_duplicates_total", { endpoint });
    const [a, b] = [first, second].map((gid) => Gid.format(gid)).sort() as [string, string];
    const key = `${addressKey(address)} ${a} ${b}`;
    if (this.#reported.get(key) !== undefined) return;
    this.#reported.set(key, true);
    logger.warn(`two hosts answer for ${address.text}`, {
      address: address.text,
      first: Gid.format(first),
      second: Gid.format(second),
      hint: "give each host an address or name of its own; the first answer is used",
    });
  }

  /** An address has changed hands: what was reported may be news again. */
  forget(): void {
    this.#reported.clear();
  }
}
