import type { PositiveEntry } from "../cache/cache-entry.js";
import type { AddressValue } from "./address-question.js";
import type { Provenance, ResolveAnswer } from "./contract.js";
import type { LocalEndpoint } from "./local-endpoint.js";
import type { Found } from "./lookup-step.js";
import type { RouteValue } from "./route-question.js";

type Origin = NonNullable<Provenance["address"]>;

const LOCAL: Origin = { provider: "local", from: "local" };
const LOCAL_BOTH: Provenance = { address: LOCAL, route: LOCAL };

/** An own address, answered from here. */
export function localAnswer(endpoint: LocalEndpoint, requestId: string): ResolveAnswer {
  return {
    paths: [endpoint.loopback],
    endpoint: endpoint.identity,
    provenance: LOCAL_BOTH,
    ageMs: 0,
    generation: endpoint.scope.generation,
    requestId,
  };
}

/** An address that came with its path: there was no route step. */
export function directAnswer(
  endpoint: LocalEndpoint,
  address: Found<AddressValue>,
  now: number,
  requestId: string,
): ResolveAnswer | undefined {
  const { path } = address.entry.value.answer;
  if (path === undefined) return undefined;
  const origin = originOf(address);
  return {
    paths: [path],
    endpoint: endpoint.identity,
    provenance: { address: origin, route: origin },
    ...lifeOf(address.entry, address.entry, now),
    generation: endpoint.scope.generation,
    requestId,
  };
}

/** The answer of a route step, with or without an address step before it. */
export function routedAnswer(
  endpoint: LocalEndpoint,
  address: Found<AddressValue> | undefined,
  route: Found<RouteValue>,
  maxPaths: number,
  now: number,
  requestId: string,
): ResolveAnswer {
  const { paths } = route.entry.value;
  return {
    paths: paths.length > maxPaths ? paths.slice(0, maxPaths) : paths,
    endpoint: endpoint.identity,
    provenance:
      address === undefined ? { route: originOf(route) } : { address: originOf(address), route: originOf(route) },
    ...lifeOf(address?.entry ?? route.entry, route.entry, now),
    generation: endpoint.scope.generation,
    requestId,
  };
}

function originOf({ entry, wasCached }: Found<object>): Origin {
  const isFromProvider = entry.origin === "provider" && !wasCached;
  const from =
    entry.origin === "file" || entry.origin === "local" ? entry.origin : isFromProvider ? "provider" : "cache";
  return { provider: entry.provider, from, ...(entry.keptAt === undefined ? {} : { isUnconfirmed: true }) };
}

/** As old as the older part, and good as long as the shorter-lived one. */
function lifeOf(
  a: PositiveEntry<object>,
  b: PositiveEntry<object>,
  now: number,
): Pick<ResolveAnswer, "ageMs" | "expiresInMs"> {
  const ageMs = now - Math.min(a.createdAt, b.createdAt);
  const expiresAt = Math.min(a.expiresAt, b.expiresAt);
  return expiresAt === Number.POSITIVE_INFINITY ? { ageMs } : { ageMs, expiresInMs: expiresAt - now };
}
