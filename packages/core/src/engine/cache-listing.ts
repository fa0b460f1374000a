import { Gid, Lid } from "@verbena/ib";
import type { NegativeEntry, PositiveEntry } from "../cache/cache-entry.js";
import type { AddressValue } from "./address-question.js";
import type { CacheEntry } from "./contract.js";
import { destinationKey } from "./destination-key.js";
import type { LocalEndpoint } from "./local-endpoint.js";
import type { Pipeline } from "./pipeline.js";
import type { RouteValue } from "./route-question.js";

/** Everything that is remembered or being asked, as `cache ls` shows it: own addresses, caches, files not yet used, lookups under way. */
export function listCache(
  endpoints: readonly LocalEndpoint[],
  pipeline: Pipeline,
  now: number,
  loopback: boolean,
): CacheEntry[] {
  const byPrefix = new Map(endpoints.map((endpoint) => [endpoint.prefix, endpoint]));
  const entries: CacheEntry[] = [];
  const seen = new Set<string>();
  const add = (cache: "address" | "route", of: PositiveEntry<AddressValue | RouteValue> | NegativeEntry): void => {
    const endpoint = byPrefix.get(of.scope.prefix);
    if (endpoint?.scope !== of.scope) return;
    seen.add(of.key);
    entries.push(describe(cache, endpoint.key, of, now));
  };
  if (loopback) for (const endpoint of endpoints) entries.push(...ownAddresses(endpoint));
  for (const entry of pipeline.addresses.cache.entries()) add("address", entry);
  for (const entry of pipeline.routes.cache.entries()) add("route", entry);
  for (const endpoint of endpoints) entries.push(...unusedFiles(endpoint, seen, now));
  for (const cache of ["address", "route"] as const) {
    const flights = cache === "address" ? pipeline.addresses.flights : pipeline.routes.flights;
    for (const { scope, subject, startedAt } of flights.pending()) {
      const endpoint = byPrefix.get(scope.prefix);
      if (endpoint === undefined) continue;
      entries.push({
        cache,
        endpoint: endpoint.key,
        destination: subject.text,
        state: "pending",
        provider: "",
        from: "provider",
        ageMs: now - startedAt,
      });
    }
  }
  return entries;
}

function describe(
  cache: "address" | "route",
  endpoint: string,
  entry: PositiveEntry<AddressValue | RouteValue> | NegativeEntry,
  now: number,
): CacheEntry {
  const common = {
    cache,
    endpoint,
    destination: entry.subject.text,
    state: entry.state,
    provider: entry.provider,
    ageMs: now - entry.createdAt,
    ...(entry.expiresAt === Number.POSITIVE_INFINITY ? {} : { expiresInMs: entry.expiresAt - now }),
  };
  if (entry.state === "negative") return { ...common, from: "provider" };
  const doubt = entry.keptAt === undefined ? {} : { isUnconfirmed: true as const };
  return { ...common, from: entry.origin, ...contents(entry.value), ...doubt };
}

function contents(value: AddressValue | RouteValue): Partial<Pick<CacheEntry, "gid" | "lid" | "paths">> {
  if ("answer" in value) {
    const { gid, lid, path } = value.answer;
    return {
      ...(gid === undefined ? {} : { gid }),
      ...(lid === undefined ? {} : { lid }),
      ...(path === undefined ? {} : { gid: path.dgid, lid: path.dlid, paths: 1 }),
    };
  }
  const [best] = value.paths;
  return { ...(best === undefined ? {} : { gid: best.dgid, lid: best.dlid }), paths: value.paths.length };
}

function ownAddresses(endpoint: LocalEndpoint): CacheEntry[] {
  return endpoint.endpoint.addresses.map(({ kind, text, ...address }) => ({
    cache: "address",
    endpoint: endpoint.key,
    destination: kind === "ip" && "address" in address ? address.address : text,
    state: "positive",
    provider: "local",
    from: "local",
    gid: endpoint.gid,
    lid: endpoint.baseLid,
    paths: 1,
    ageMs: 0,
  }));
}

function unusedFiles(endpoint: LocalEndpoint, seen: ReadonlySet<string>, now: number): CacheEntry[] {
  const { files } = endpoint;
  if (files === undefined) return [];
  const common = { endpoint: endpoint.key, state: "positive", provider: "file", from: "file" } as const;
  const ageMs = now - files.loadedAt;
  const hosts = [...files.hosts()]
    .filter(({ destination }) => !seen.has(endpoint.prefix + destinationKey(destination)))
    .map(({ destination, gid }) => ({
      ...common,
      cache: "address" as const,
      destination: destination.text,
      gid,
      ageMs,
    }));
  const routes = [...files.routes()].map(({ path }) => ({
    ...common,
    cache: "route" as const,
    destination: `${Gid.format(path.dgid)} (LID ${Lid.format(path.dlid)})`,
    gid: path.dgid,
    lid: path.dlid,
    paths: 1,
    ageMs,
  }));
  return [...hosts, ...routes];
}
