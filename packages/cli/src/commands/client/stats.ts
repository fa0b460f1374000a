import {
  type ClientsJson,
  type CountersJson,
  encodeCounters,
  type SaPortJson,
  type StatsJson,
  type StatusJson,
} from "@verbena/core/client";
import { EXIT, type ExitCode } from "../../exit-code.js";
import type { Io } from "../../io.js";
import { renderTable } from "../../output/table.js";
import { lostText } from "./lost-functions.js";
import { notOffered, type ServiceOptions, withService } from "./service.js";

/** Counters in the order of the client protocol, with words for people. */
export const COUNTER_LABELS: readonly (readonly [keyof CountersJson, string])[] = [
  ["resolve", "resolve requests"],
  ["error", "errors"],
  ["noData", "no data"],
  ["addressQuery", "address queries"],
  ["addressCache", "address cache hits"],
  ["routeQuery", "route queries"],
  ["routeCache", "route cache hits"],
];

export interface StatsCommandOptions extends ServiceOptions {
  readonly clients?: boolean;
}

/** What a daemon tells; a real ibacm knows the counters only. */
type StatsView = Pick<StatsJson, "counters"> & Partial<StatsJson> & Pick<StatusJson, "degraded">;

/** Prints the counters of the daemon, all together and per endpoint; or its clients, and what each made it do. */
export async function statsCommand(options: StatsCommandOptions, io: Io): Promise<ExitCode> {
  if (options.clients === true) return clientsCommand(options, io);
  const stats = await withService<StatsView>(options, async ({ kind, client }) => {
    if (kind === "acm") return { counters: encodeCounters(await client.perf()) };
    const [counted, { degraded = [] }] = await Promise.all([client.stats(), client.status()]);
    return { ...counted, degraded };
  });
  io.out(options.json === true ? `${JSON.stringify(stats)}\n` : describe(stats) + lostText(stats.degraded));
  return EXIT.OK;
}

function describe({ counters, endpoints = [], sa = [], clients, uptimeMs }: StatsView): string {
  const rows = COUNTER_LABELS.map(([key, label]) => [
    label,
    String(counters[key]),
    ...endpoints.map((endpoint) => String(endpoint.counters[key])),
  ]);
  const about =
    uptimeMs === undefined
      ? ""
      : `up ${String(Math.round(uptimeMs / 1000))} s, ${String(clients ?? 0)} clients connected\n`;
  const table = renderTable(["counter", "all", ...endpoints.map(({ key }) => key)], rows);
  return sa.length === 0 ? about + table : `${about}${table}\n${saTable(sa)}`;
}

async function clientsCommand(options: ServiceOptions, io: Io): Promise<ExitCode> {
  const answer = await withService(options, ({ kind, client }) => {
    if (kind === "acm") throw notOffered("a list of its clients");
    return client.clients();
  });
  io.out(options.json === true ? `${JSON.stringify(answer)}\n` : clientsTable(answer));
  return EXIT.OK;
}

/** Who asks the SA most comes first, as the daemon lists them. */
export function clientsTable({ clients, forgotten }: ClientsJson): string {
  const table = renderTable(
    ["client", "pid", "uid", "command", "requests", "cache hits", "errors", "SA queries", "last"],
    clients.map((client) => [
      client.kind,
      client.pid === undefined ? "-" : String(client.pid),
      client.uid === undefined ? "-" : String(client.uid),
      client.command ?? "-",
      ...[client.requests, client.cacheHits, client.errors, client.saQueries].map(String),
      `${(client.idleMs / 1000).toFixed(1)} s ago`,
    ]),
  );
  return forgotten === 0 ? table : `${table}${String(forgotten)} more, not heard of for longest, are not kept\n`;
}

/** How each port gets on with its subnet administrator. */
export function saTable(ports: readonly SaPortJson[]): string {
  return renderTable(
    [
      "SA of port",
      "SM LID",
      "notices",
      "breaker",
      "window",
      "in flight",
      "queued",
      "sent",
      "answered",
      "time-outs",
      "BUSY",
      "refused",
    ],
    ports.map((port) => [
      `${port.device}/${String(port.port)}`,
      String(port.smLid),
      port.notices ?? "-",
      port.breaker === "open" ? `open, tried again in ${(port.retryInMs / 1000).toFixed(1)} s` : port.breaker,
      ...[
        port.window,
        port.inFlight,
        port.queued,
        port.sent,
        port.answered,
        port.timeouts,
        port.busy,
        port.refused,
      ].map(String),
    ]),
  );
}
