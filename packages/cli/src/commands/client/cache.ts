import type { CacheEntryJson } from "@verbena/core/client";
import { EXIT, type ExitCode } from "../../exit-code.js";
import type { Io } from "../../io.js";
import { renderTable } from "../../output/table.js";
import { notOffered, type ServiceOptions, withService } from "./service.js";

/** Lists what the caches hold. */
export async function listCache(options: ServiceOptions, io: Io): Promise<ExitCode> {
  const cache = await withService(options, ({ kind, client }) => {
    if (kind === "acm") throw notOffered("a list of its cache");
    return client.cache();
  });
  io.out(options.json === true ? `${JSON.stringify(cache)}\n` : table(cache.entries));
  return EXIT.OK;
}

/** Drops one destination, or everything. */
export async function flushCache(destination: string | undefined, options: ServiceOptions, io: Io): Promise<ExitCode> {
  const { flushed } = await withService(options, ({ kind, client }) => {
    if (kind === "acm") throw notOffered("flushing its cache");
    return client.flush(destination);
  });
  io.out(
    options.json === true
      ? `${JSON.stringify({ flushed })}\n`
      : `${String(flushed)} ${flushed === 1 ? "entry" : "entries"} dropped\n`,
  );
  return EXIT.OK;
}

function table(entries: readonly CacheEntryJson[]): string {
  return renderTable(
    ["cache", "endpoint", "destination", "state", "provider", "from", "result", "age", "expires"],
    entries.map((entry) => [
      entry.cache,
      entry.endpoint,
      entry.destination,
      entry.isUnconfirmed === true ? "unconfirmed" : entry.state,
      entry.provider,
      entry.from,
      result(entry),
      seconds(entry.ageMs),
      entry.expiresInMs === undefined ? "never" : seconds(entry.expiresInMs),
    ]),
  );
}

function result({ gid, lid, paths }: CacheEntryJson): string {
  if (paths !== undefined) return paths === 1 ? "1 path" : `${String(paths)} paths`;
  return gid ?? (lid === undefined ? "-" : `LID ${String(lid)}`);
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
