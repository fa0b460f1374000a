import type { IncomingMessage } from "node:http";
import { parseDestination } from "../embed/parse-destination.js";
import type { ProviderWatch, ResolverEngine } from "../engine/contract.js";
import { emptyBody, explainBody, flushBody, groupCheckBody, resolveBody } from "./bodies.js";
import {
  encodeAnswer,
  encodeCacheEntry,
  encodeChange,
  encodeCounters,
  encodeEndpoint,
  encodeExplanation,
  encodeGroupCheck,
  encodeSaPort,
} from "./encode.js";
import { readBody } from "./request-body.js";
import type {
  CacheJson,
  ChangeJson,
  ClientsJson,
  EndpointsJson,
  ExplainJson,
  FlushJson,
  GroupCheckJson,
  ProviderReportJson,
  ReloadJson,
  ResolveJson,
  StatsJson,
  StatusJson,
} from "./wire.js";

/** What the control socket asks of the daemon beside its engine. */
export interface ControlHost {
  readonly engine: ResolverEngine;
  /** The daemon's own state. */
  status(): StatusJson;
  /** Rejects with VERBENA_CONFIG_INVALID; the running configuration stays. */
  reload(): Promise<ReloadJson>;
}

/** One request, as a route sees it. */
export interface ControlCall {
  readonly request: IncomingMessage;
  /** Aborted when the client has gone or the server closes. */
  readonly signal: AbortSignal;
  /** Number of the connection, for accounting. */
  readonly client: number;
}

/** A JSON answer, or a stream of them, one per line. */
export type ControlAnswer =
  | { readonly kind: "json"; readonly body: unknown }
  | { readonly kind: "lines"; readonly lines: AsyncIterable<unknown> };

type Route = (host: ControlHost, call: ControlCall) => ControlAnswer | Promise<ControlAnswer>;

const json = (body: unknown): ControlAnswer => ({ kind: "json", body });

/** Path, then method. */
export const CONTROL_ROUTES: Readonly<Record<string, Readonly<Record<string, Route>>>> = {
  "/v1/status": { GET: (host) => json(host.status() satisfies StatusJson) },
  "/v1/endpoints": {
    GET: ({ engine }) => json({ endpoints: engine.endpoints().map(encodeEndpoint) } satisfies EndpointsJson),
  },
  "/v1/stats": { GET: (host) => json(stats(host) satisfies StatsJson) },
  "/v1/clients": { GET: ({ engine }) => json(engine.clients() satisfies ClientsJson) },
  "/v1/cache": {
    GET: ({ engine }) => json({ entries: engine.cacheEntries().map(encodeCacheEntry) } satisfies CacheJson),
  },
  "/v1/cache/flush": { POST: flush },
  "/v1/resolve": { POST: resolve },
  "/v1/explain": { POST: explain },
  "/v1/multicast/check": { POST: checkGroups },
  "/v1/reload": {
    POST: async (host, { request }) => {
      await readBody(request, emptyBody);
      return json((await host.reload()) satisfies ReloadJson);
    },
  },
  "/v1/watch": { GET: ({ engine }, { signal }) => ({ kind: "lines", lines: watch(engine, signal) }) },
  "/v1/providers/watch": {
    GET: ({ engine }, { request, signal }) => {
      const endpoint = new URL(request.url ?? "", "http://localhost").searchParams.get("endpoint");
      const options = { signal, ...(endpoint === null ? {} : { endpoint }) };
      return { kind: "lines", lines: watchProviders(engine, options) };
    },
  },
};

function stats(host: ControlHost): StatsJson {
  const { clients, uptimeMs } = host.status();
  return {
    counters: encodeCounters(host.engine.counters()),
    endpoints: host.engine.endpoints().map(({ key, counters }) => ({ key, counters: encodeCounters(counters) })),
    sa: host.engine.saPorts().map(encodeSaPort),
    clients,
    uptimeMs,
  };
}

async function flush({ engine }: ControlHost, { request }: ControlCall): Promise<ControlAnswer> {
  const { destination } = await readBody(request, flushBody);
  const flushed = destination === undefined ? engine.flush() : engine.flush(parseDestination(destination));
  return json({ flushed } satisfies FlushJson);
}

async function explain({ engine }: ControlHost, { request, signal, client }: ControlCall): Promise<ControlAnswer> {
  const { destination, format, source, route, ...limits } = await readBody(request, explainBody);
  const explanation = await engine.explain({
    destination: parseDestination(destination, format),
    ...(source === undefined ? {} : { source: parseDestination(source) }),
    ...(limits.deadlineMs === undefined ? {} : { deadlineMs: limits.deadlineMs }),
    ...(limits.maxPaths === undefined ? {} : { maxPaths: limits.maxPaths }),
    ...(route === undefined ? {} : { route }),
    signal,
    client: { id: client, kind: "control" },
  });
  return json(encodeExplanation(explanation) satisfies ExplainJson);
}

async function checkGroups({ engine }: ControlHost, { request, signal, client }: ControlCall): Promise<ControlAnswer> {
  const { destination, source, deadlineMs } = await readBody(request, groupCheckBody);
  const check = await engine.checkGroups({
    destination: parseDestination(destination),
    ...(source === undefined ? {} : { source: parseDestination(source) }),
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
    signal,
    client: { id: client, kind: "control" },
  });
  return json(encodeGroupCheck(check) satisfies GroupCheckJson);
}

async function resolve({ engine }: ControlHost, { request, signal, client }: ControlCall): Promise<ControlAnswer> {
  const { destination, format, source, ...limits } = await readBody(request, resolveBody);
  const answer = await engine.resolve({
    destination: parseDestination(destination, format),
    ...(source === undefined ? {} : { source: parseDestination(source) }),
    ...(limits.noDelay === undefined ? {} : { noDelay: limits.noDelay }),
    ...(limits.deadlineMs === undefined ? {} : { deadlineMs: limits.deadlineMs }),
    ...(limits.maxPaths === undefined ? {} : { maxPaths: limits.maxPaths }),
    signal,
    client: { id: client, kind: "control" },
  });
  return json(encodeAnswer(answer) satisfies ResolveJson);
}

/** The first line tells the client that it is listening: what happens from now on follows. */
async function* watch(engine: ResolverEngine, signal: AbortSignal): AsyncGenerator<ChangeJson> {
  const changes = engine.changes(signal);
  yield { type: "watching" };
  for await (const change of changes) yield encodeChange(change);
}

async function* watchProviders(engine: ResolverEngine, options: ProviderWatch): AsyncGenerator<ProviderReportJson> {
  const reports = engine.providerEvents(options);
  yield { type: "watching" };
  yield* reports;
}
