import type { SaNotice } from "@verbena/core/sdk";
import type { Gid, Lid } from "@verbena/ib";

/** GIDs and LIDs of ports that a notice says have come, gone or changed. */
export function endsOf(notice: SaNotice): readonly (Gid | Lid)[] {
  switch (notice.type) {
    case "gid-in":
    case "gid-out":
      return [notice.gid];
    case "local-change":
      return [notice.lid, notice.gid];
    case "group-created":
    case "group-deleted":
    case "unknown":
      return [];
    default:
      return notice satisfies never;
  }
}

/** What has changed while a table was on its way: those entries of it may be older than the notice. */
export class FetchWatch {
  readonly #open = new Set<Set<Gid | Lid>>();

  note(ends: readonly (Gid | Lid)[]): void {
    for (const changed of this.#open) for (const end of ends) changed.add(end);
  }

  /** Hands the fetch a set that fills while it runs. */
  async during<T>(fetch: (changed: ReadonlySet<Gid | Lid>) => Promise<T>): Promise<T> {
    const changed = new Set<Gid | Lid>();
    this.#open.add(changed);
    try {
      return await fetch(changed);
    } finally {
      this.#open.delete(changed);
    }
  }
}
