import { type CountersJson, encodeCounters, type StatsJson } from "@verbena/core/client";
import { EXIT, type ExitCode } from "../../exit-code.js";
import type { Io } from "../../io.js";
import { renderTable } from "../../output/table.js";
import { type ServiceOptions, withService } from "./service.js";

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

/** Prints the counters of the daemon, all together and per endpoint. */
export async function statsCommand(options: ServiceOptions, io: Io): Promise<ExitCode> {
  const stats = await withService<Pick<StatsJson, "counters"> & Partial<StatsJson>>(
    options,
    async ({ kind, client }) =>
      kind === "control" ? client.stats() : { counters: encodeCounters(await client.perf()) },
  );
  io.out(options.json === true ? `${JSON.stringify(stats)}\n` : describe(stats));
  return EXIT.OK;
}

function describe({
  counters,
  endpoints = [],
  clients,
  uptimeMs,
}: Pick<StatsJson, "counters"> & Partial<StatsJson>): string {
  const rows = COUNTER_LABELS.map(([key, label]) => [
    label,
    String(counters[key]),
    ...endpoints.map((endpoint) => String(endpoint.counters[key])),
  ]);
  const about =
    uptimeMs === undefined
      ? ""
      : `up ${String(Math.round(uptimeMs / 1000))} s, ${String(clients ?? 0)} clients connected\n`;
  return about + renderTable(["counter", "all", ...endpoints.map(({ key }) => key)], rows);
}
