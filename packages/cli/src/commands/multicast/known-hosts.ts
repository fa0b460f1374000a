import { type CacheEntryJson, formatDestination, parseDestination } from "@verbena/core/client";
import { VerbenaError } from "@verbena/ib";

/**
 * Other hosts that a daemon has found by name or address, each once: destinations as the control socket reads them. At most `limit`. Peers choose the names,
 * which may look like anything: what the socket would not take is left out.
 */
export function knownHosts(entries: readonly CacheEntryJson[], limit: number): readonly string[] {
  const byGid = new Map<string, string>();
  for (const { cache, state, from, gid, destination } of entries) {
    if (cache !== "address" || state !== "positive" || from === "local" || gid === undefined || byGid.has(gid))
      continue;
    const host = ipOrName(destination);
    if (host !== undefined) byGid.set(gid, host);
  }
  return [...byGid.values()].slice(0, limit);
}

/** Never a GID or LID, whatever a name looks like. */
function ipOrName(text: string): string | undefined {
  return formatAs(text, "ip") ?? formatAs(text, "name");
}

function formatAs(text: string, format: "ip" | "name"): string | undefined {
  try {
    return formatDestination(parseDestination(text, format));
  } catch (error) {
    if (VerbenaError.is(error)) return undefined;
    throw error;
  }
}
