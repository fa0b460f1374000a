import { Gid, Lid, type PathRecord } from "@verbena/ib";
import { Destination } from "../sdk/destination.js";
import type { ResolveContext, RouteProvider } from "../sdk/provider.js";
import type { RouteAnswer, RouteQuery } from "../sdk/route.js";
import type { LocalEndpoint } from "./local-endpoint.js";
import type { EngineSettings } from "./options.js";
import type { Question } from "./question.js";
import type { RouteFields } from "./route-fields.js";
import { routeKey } from "./route-key.js";

/** What the route cache keeps: at least one path, best first. */
export interface RouteValue {
  readonly paths: readonly PathRecord[];
}

/** Asks for paths. `latest`: when the address behind the question expires. */
export function routeQuestion(
  settings: EngineSettings,
  endpoint: LocalEndpoint,
  query: RouteFields,
  latest = Number.POSITIVE_INFINITY,
): Question<RouteAnswer, RouteValue> {
  const { dgid, dlid } = query;
  return {
    key: routeKey(endpoint, query),
    endpoint,
    subject: dgid === undefined ? Destination.lid(dlid ?? Lid.zero) : Destination.gid(dgid),
    latest,
    links: () =>
      settings.chains.route.flatMap((provider) => {
        const session = endpoint.session(provider);
        const route = session?.state === "ready" ? session.route : undefined;
        if (route === undefined) return [];
        return [{ provider, ask: (context) => askRoute(route, { ...query, endpoint: context.endpoint }, context) }];
      }),
    isAwaiting: () => endpoint.isAwaiting(settings.chains.route),
    fromFile: () => {
      const found = endpoint.files?.route(query);
      if (found === undefined || endpoint.files === undefined) return undefined;
      const ttlMs = found.isLocal ? Number.POSITIVE_INFINITY : settings.fileRouteTtlMs;
      return { value: { paths: [found.path] }, expiresAt: endpoint.files.loadedAt + ttlMs };
    },
    keep: ({ paths }) => ({ paths }),
    ends: routeEnds,
    check: (answer) => checkRoute(answer, query),
  };
}

/**
 * The plain question behind a resolved address: any path from the endpoint's first GID that can be used in both directions. A GID says all;
 * a LID known beside it may be another one by now.
 */
export function plainQuery(
  endpoint: LocalEndpoint,
  to: { readonly gid?: Gid; readonly lid?: Lid; readonly hint?: unknown },
  maxPaths: number,
): RouteFields {
  return {
    sgid: endpoint.gid,
    ...(to.gid === undefined ? {} : { dgid: to.gid }),
    ...(to.lid === undefined || to.gid !== undefined ? {} : { dlid: to.lid }),
    // By LID alone the SA wants to know from which LID (spec acm.md 5.3).
    ...(to.gid === undefined ? { slid: endpoint.baseLid } : {}),
    pkey: endpoint.endpoint.pkey,
    reversible: true,
    maxPaths,
    ...(to.hint === undefined ? {} : { hint: to.hint }),
  };
}

/** No paths at all are as good as no answer. */
async function askRoute(
  provider: RouteProvider,
  query: RouteQuery,
  context: ResolveContext,
): Promise<RouteAnswer | undefined> {
  const answer: Partial<RouteAnswer> | undefined = await provider.resolveRoute(query, context);
  return answer?.paths?.length === 0 ? undefined : (answer as RouteAnswer | undefined);
}

/** GIDs and LIDs that paths lead to. */
export function routeEnds({ paths }: RouteValue): readonly (Gid | Lid)[] {
  return paths.flatMap(({ dgid, dlid }) => [dgid, dlid]);
}

/**
 * What came from a provider is checked as data: its author's compiler may not have seen our types, and the SA behind it may have said
 * something else than it was asked. A path that leads nowhere, or to somebody else, must not be cached.
 */
function checkRoute(answer: unknown, query: Pick<RouteFields, "dgid" | "dlid">): string | undefined {
  const paths: unknown = typeof answer === "object" && answer !== null && "paths" in answer ? answer.paths : undefined;
  if (!Array.isArray(paths) || paths.length === 0) return "the route answer has no paths";
  if (!paths.every((path) => typeof path === "object" && path !== null)) return "a path is no PathRecord";
  return (paths as Partial<PathRecord>[]).some((path) => !leadsTo(path, query))
    ? "a path leads elsewhere than was asked"
    : undefined;
}

function leadsTo(path: Partial<PathRecord>, { dgid, dlid }: Pick<RouteFields, "dgid" | "dlid">): boolean {
  if (path.dlid === undefined || path.dlid === Lid.zero) return false;
  if (dlid !== undefined && dlid !== Lid.zero && path.dlid !== dlid) return false;
  return dgid === undefined || dgid === Gid.zero || path.dgid === dgid;
}
