import type { Gid, Lid } from "@verbena/ib";
import { LRUCache } from "lru-cache";

/** GIDs and LIDs remembered. What had to make room counts as changed. */
const LIMIT = 4_096;

/** Which GIDs and LIDs the SA has spoken of lately: a lookup that began before is about the past. Counts notices instead of time. */
export class NoticeLog {
  #count = 0;
  #forgotten = 0;
  readonly #latest = new LRUCache<Gid | Lid, number>({
    max: LIMIT,
    dispose: (count, _end, reason) => {
      if (reason === "evict") this.#forgotten = Math.max(this.#forgotten, count);
    },
  });

  /** For {@link NoticeLog.hasChanged}: now. */
  get position(): number {
    return this.#count;
  }

  note(ends: Iterable<Gid | Lid>): void {
    this.#count += 1;
    for (const end of ends) this.#latest.set(end, this.#count);
  }

  /** Whether one of these was spoken of after `position`. */
  hasChanged(position: number, ends: readonly (Gid | Lid)[]): boolean {
    if (this.#count === position) return false;
    return this.#forgotten > position || ends.some((end) => (this.#latest.peek(end) ?? 0) > position);
  }
}
