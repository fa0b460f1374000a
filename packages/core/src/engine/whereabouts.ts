import { Gid } from "@verbena/ib";
import { LRUCache } from "lru-cache";
import type { Destination } from "../sdk/destination.js";
import type { AddressAnswer } from "../sdk/route.js";
import type { EngineChange } from "./contract.js";
import { destinationKey } from "./destination-key.js";

/**
 * Where each name and IP was found last, to tell that it has moved. It outlives the cache entries: between the old place and the new one
 * an address may expire, be flushed, or be nowhere for a while.
 */
export class Whereabouts {
  readonly #last: LRUCache<string, Gid>;

  constructor(
    maxEntries: number,
    private readonly emit: (change: EngineChange) => void,
  ) {
    // Not `max`, for which it would make room at once.
    this.#last = new LRUCache({ maxSize: Math.max(1, Math.floor(maxEntries)), sizeCalculation: () => 1 });
  }

  /** An address has been found, or what is known of it was read from a file. */
  note(endpoint: string, destination: Destination, { gid, path }: AddressAnswer): void {
    const to = gid ?? path?.dgid;
    if (to === undefined) return;
    const key = `${endpoint} ${destinationKey(destination)}`;
    const from = this.#last.get(key);
    this.#last.set(key, to);
    if (from === undefined || from === to) return;
    this.emit({
      type: "moved",
      endpoint,
      destination: destination.text,
      from: Gid.format(from),
      to: Gid.format(to),
    });
  }
}
