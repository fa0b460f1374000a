import { encodePathRecord, Gid, Guid, Mtu, type PathRecord, PKey, Rate } from "@verbena/ib";
import type {
  AcmCounters,
  CacheEntry,
  EndpointIdentity,
  EndpointStatus,
  EngineChange,
  Explanation,
  GroupCheck,
  ResolveAnswer,
  RouteEnd,
  RouteWalk,
  SaPortStatus,
} from "../engine/contract.js";
import type { GroupStatus } from "../sdk/group.js";
import { describeFailure } from "./http-status.js";
import type {
  CacheEntryJson,
  ChangeJson,
  CountersJson,
  EndpointIdentityJson,
  EndpointJson,
  ExplainJson,
  GroupCheckJson,
  GroupJson,
  PathJson,
  ResolveJson,
  RouteEndJson,
  RouteJson,
  SaPortJson,
} from "./wire.js";

/** Drops members that are `undefined`, which JSON cannot say and exact optional types do not allow. */
function present<T extends object>(members: { readonly [K in keyof T]?: T[K] | undefined }): Partial<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<T>;
}

/** A path in readable form, with the record itself. */
export function encodePath(path: PathRecord): PathJson {
  return {
    record: encodePathRecord(path).toString("hex"),
    dgid: Gid.format(path.dgid),
    sgid: Gid.format(path.sgid),
    dlid: path.dlid,
    slid: path.slid,
    pkey: PKey.format(path.pkey),
    sl: path.sl,
    tclass: path.tclass,
    flowLabel: path.flowLabel,
    hopLimit: path.hopLimit,
    reversible: path.reversible,
    serviceId: `0x${path.serviceId.toString(16).padStart(16, "0")}`,
    qosClass: path.qosClass,
    mtu: path.mtu,
    rate: path.rate,
    ...present<PathJson>({ mtuBytes: Mtu.toBytes(path.mtu), rateGbps: Rate.toGbps(path.rate) }),
    packetLifeTime: path.packetLifeTime,
    preference: path.preference,
  };
}

/** The seven counters. */
export function encodeCounters(counters: AcmCounters): CountersJson {
  const { error, resolve, noData, addressQuery, addressCache, routeQuery, routeCache } = counters;
  return { error, resolve, noData, addressQuery, addressCache, routeQuery, routeCache };
}

function encodeIdentity(endpoint: EndpointIdentity): EndpointIdentityJson {
  return {
    key: endpoint.key,
    device: endpoint.device,
    nodeGuid: Guid.format(endpoint.nodeGuid),
    port: endpoint.port,
    portCount: endpoint.portCount,
    pkey: PKey.format(endpoint.pkey),
  };
}

/** One endpoint. */
export function encodeEndpoint(endpoint: EndpointStatus): EndpointJson {
  return {
    ...encodeIdentity(endpoint),
    state: endpoint.state,
    lid: endpoint.lid,
    gid: Gid.format(endpoint.gid),
    provider: endpoint.provider,
    addresses: endpoint.addresses,
    counters: encodeCounters(endpoint.counters),
    groups: endpoint.groups.map((group) => encodeGroup(group)),
    duplicates: endpoint.duplicates.map(({ address, first, second, ageMs }) => ({
      address,
      first: Gid.format(first),
      second: Gid.format(second),
      ageMs: Math.round(ageMs),
    })),
  };
}

function encodeGroup({ mgid, role, state, mlid, rate, mtu, sl, trafficClass, problem }: GroupStatus): GroupJson {
  return {
    mgid: Gid.format(mgid),
    role,
    state,
    rate,
    mtu,
    sl,
    trafficClass,
    ...present<GroupJson>({ mlid, rateGbps: Rate.toGbps(rate), mtuBytes: Mtu.toBytes(mtu), problem }),
  };
}

/** An answer of the engine. */
export function encodeAnswer(answer: ResolveAnswer): ResolveJson {
  return {
    paths: answer.paths.map(encodePath),
    endpoint: encodeIdentity(answer.endpoint),
    ...present<ResolveJson>({ chosenSource: answer.chosenSource }),
    provenance: answer.provenance,
    ageMs: answer.ageMs,
    ...present<ResolveJson>({ expiresInMs: answer.expiresInMs }),
    generation: answer.generation,
    requestId: answer.requestId,
  };
}

/** A port and its SA, member by member. */
export function encodeSaPort(port: SaPortStatus): SaPortJson {
  return { ...port, retryInMs: Math.ceil(port.retryInMs) };
}

function encodeRouteEnd({ nodeGuid, portGuid, ...rest }: RouteEnd): RouteEndJson {
  return { ...rest, nodeGuid: Guid.format(nodeGuid), portGuid: Guid.format(portGuid) };
}

/** A route, link by link. */
export function encodeRoute({ hops, ...rest }: RouteWalk): RouteJson {
  return { ...rest, hops: hops.map(({ from, to }) => ({ from: encodeRouteEnd(from), to: encodeRouteEnd(to) })) };
}

/** How a request was answered, or why not. */
export function encodeExplanation({ steps, answer, route, error, ...rest }: Explanation): ExplainJson {
  return {
    ...rest,
    steps: steps.map((step) => {
      if (step.step !== "endpoint") return step;
      const { endpoint, ...others } = step;
      return endpoint === undefined ? others : { ...others, endpoint: encodeIdentity(endpoint) };
    }),
    ...(answer === undefined ? {} : { answer: encodeAnswer(answer) }),
    ...(route === undefined ? {} : { route: encodeRoute(route) }),
    ...(error === undefined ? {} : describeFailure(error).body),
  };
}

/** A comparison of groups with the SA's paths. */
export function encodeGroupCheck(check: GroupCheck): GroupCheckJson {
  const { destination, endpoint, gid, forward, reverse, group, groups } = check;
  return {
    destination,
    endpoint: encodeIdentity(endpoint),
    gid: Gid.format(gid),
    ...(forward === undefined ? {} : { forward: encodePath(forward) }),
    ...(reverse === undefined ? {} : { reverse: encodePath(reverse) }),
    ...(group === undefined ? {} : { group: Gid.format(group) }),
    groups: groups.map(({ mgid, role, problems }) => ({ mgid: Gid.format(mgid), role, problems })),
    isUsable: groups.some(({ mgid, problems }) => mgid === group && problems.length === 0),
  };
}

/** One cache entry. */
export function encodeCacheEntry(entry: CacheEntry): CacheEntryJson {
  const { gid, ...rest } = entry;
  return { ...rest, ...(gid === undefined ? {} : { gid: Gid.format(gid) }) };
}

/** A change, member by member: the engine's changes hold nothing but texts, numbers and flags. */
export function encodeChange(change: EngineChange): ChangeJson {
  return change;
}
