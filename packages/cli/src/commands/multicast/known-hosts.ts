import { type CacheEntryJson, formatDestination, parseDestination } from "@verbena/core/client";

/** Other hosts that a daemon has found by name or address, each once: destinations as the control socket reads them. At most `limit`. */
export function knownHosts(entries: readonly CacheEntryJson[], limit: number): readonly string[] {
  const byGid = new Map<string, string>();
  for (const { cache, state, from, gid, destination } of entries) {
    if (cache === "address" && state === "positive" && from !== "local" && gid !== undefined && !byGid.has(gid)) {
      byGid.set(gid, formatDestination(parseDestination(destination)));
    }
  }
  return [...byGid.values()].slice(0, limit);
}
