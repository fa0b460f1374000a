// pnpm bench daemon [--seconds S] [--rounds N] [--hosts N] [--write]
//
// Cached RESOLVE over the Unix socket with 1, 16, 64 and 256 clients, driven by the native load client: `verbena serve`, the unmodified ibacm
// and servers in C that only answer (epoll: the limit that ratios are of; io_uring), and a second `verbena serve` with epoll, on the same simulated fabric, in turns, each server on processor 0 and the client on 1 (one client:
// with the server, as ranks on one processor are). 256 busy clients among 10,000; uncached SA resolutions per second. Prints tables, writes build/bench/daemon.json, and with --write puts the tables into docs/performance.md.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { answerOnly, answerRing, buildAnswerRing, buildLoadClient, loadClient } from "./lib/load-client.mjs";
import { describeMachine } from "./lib/machine.mjs";
import { askOnce, missingIbacm, pin, startAnswerOnly, startIbacm, untilAnswered } from "./lib/parties.mjs";
import { median } from "./lib/percentiles.mjs";
import { writeSection } from "./lib/performance-page.mjs";
import { resolveByName } from "./lib/resolve-request.mjs";
import { startDaemon, startEpollDaemon, startFabric } from "./lib/simulated-daemon.mjs";
import { table } from "./lib/table.mjs";
import { resolveUncached } from "./lib/uncached.mjs";

const root = join(import.meta.dirname, "..");
const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "3" },
    rounds: { type: "string", default: "5" },
    hosts: { type: "string", default: "1000" },
    write: { type: "boolean", default: false },
  },
});
const [seconds, rounds, hosts] = [values.seconds, values.rounds, values.hosts].map(Number);

const FIGURES = [
  "requestsPerSecond",
  "p50us",
  "p99us",
  "cpuPerRequestUs",
  "serverCpuShare",
  "clientCpuShare",
  "serverRssKiB",
];
/** Of servers that only answer. */
const PARTY_NAMES = { limit: "C, answers only", ring: "C, answers only, io_uring" };
const SERVER_CPU = 0;
const CLIENT_CPU = 1;

/** Rounds are interleaved over parties and numbers of clients, so that a slow minute of the machine hits all of them. */
async function measureCached(parties, request) {
  const rows = [1, 16, 64, 256].map((connections) => ({ connections, idle: 0 }));
  rows.push({ connections: 256, idle: 9_744, only: "verbena" });
  const results = rows.map(
    ({ only }) => new Map(only === undefined ? [...parties.keys()].map((name) => [name, []]) : [[only, []]]),
  );
  for (let round = 0; round < rounds; round++) {
    for (const [index, { connections, idle }] of rows.entries()) {
      for (const [name, runs] of results[index]) {
        const { socket, pid } = parties.get(name);
        const cpu = connections === 1 ? SERVER_CPU : CLIENT_CPU;
        runs.push(await loadClient({ socket, request, connections, idle, seconds, pid, cpu }));
      }
    }
  }
  return rows.flatMap((row, index) =>
    [...results[index]].map(([party, runs]) => ({
      ...row,
      party,
      refused: runs.reduce((sum, { refused }) => sum + refused, 0),
      // Of the same round, so that what hits both hits neither figure.
      ratio: median(runs.map((run, round) => ratioToLimit(run, results[index].get("limit")?.[round]))),
      ...Object.fromEntries(FIGURES.map((figure) => [figure, median(runs.map((run) => run[figure]))])),
    })),
  );
}

function ratioToLimit(run, limit) {
  return limit === undefined ? Number.NaN : run.requestsPerSecond / limit.requestsPerSecond;
}

/** The three servers, pinned alike, each with the answer in its cache. */
async function startParties(daemon, stops) {
  const request = Buffer.from(resolveByName("bench-source", "node2"), "hex");
  const reply = await untilAnswered(daemon.socket, request);
  const parties = new Map([["verbena", daemon]]);
  const add = (name, party) => {
    stops.push(party.stop);
    parties.set(name, party);
  };
  const reason = missingIbacm();
  if (reason === undefined) {
    // What our answer says of node2 is what ibacm is told of it.
    const words = Array.from({ length: 8 }, (_, n) => reply.readUInt16BE(24 + 8 + 2 * n).toString(16));
    add("ibacm", await startIbacm(dir, "H1", `node2 ${words.join(":")}\n`));
    await untilAnswered(parties.get("ibacm").socket, request);
  } else process.stderr.write(`bench daemon: without ibacm: ${reason}\n`);
  add("limit", await startAnswerOnly(dir, answerOnly, reply));
  const noRing = buildAnswerRing();
  if (noRing === undefined) add("ring", await startAnswerOnly(dir, answerRing, reply));
  else process.stderr.write(`bench daemon: without the server that only answers on a ring: ${noRing}\n`);
  const epoll = await startEpollDaemon(dir);
  add("verbena, epoll", epoll);
  for (const { pid } of parties.values()) pin(pid, SERVER_CPU);
  await untilAnswered(epoll.socket, request);
  // The second answer of ours is the first that is kept.
  for (const { socket } of [daemon, epoll]) for (let n = 0; n < 3; n++) await askOnce(socket, request);
  return parties;
}

const machine = describeMachine();
const dir = mkdtempSync(join(tmpdir(), "verbena-bench-"));
const stops = [];
try {
  buildLoadClient();
  const fabric = await startFabric(dir, hosts);
  stops.push(fabric.stop);
  const daemon = await startDaemon(dir);
  stops.push(daemon.stop);
  const idleRssKiB = daemon.rssKiB();
  const uncached = await resolveUncached(daemon, hosts);
  const parties = await startParties(daemon, stops);
  const cached = await measureCached(parties, resolveByName("bench-source", "node2"));

  const results = {
    machine,
    date: new Date().toISOString().slice(0, 10),
    seconds,
    rounds,
    cached,
    uncached,
    idleRssKiB,
  };
  const text = report(results);
  process.stdout.write(text);
  const folder = join(root, "build", "bench");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "daemon.json"), `${JSON.stringify(results, undefined, 2)}\n`);
  if (values.write) writeSection(join(root, "docs", "performance.md"), "daemon", text);
  if (cached.some(({ refused }) => refused > 0)) {
    process.stderr.write("bench daemon: some requests were refused; the figures do not count\n");
    process.exitCode = 1;
  }
} finally {
  for (const stop of stops.reverse()) await stop();
  rmSync(dir, { recursive: true, force: true });
}

function report({ machine, date, cached, uncached, idleRssKiB }) {
  const round = (value, digits = 1) => value.toFixed(digits);
  const rows = cached.map((row) => [
    row.idle > 0 ? `${row.connections} of ${(row.connections + row.idle).toLocaleString("en")}` : row.connections,
    PARTY_NAMES[row.party] ?? row.party,
    Math.round(row.requestsPerSecond).toLocaleString("en"),
    Number.isNaN(row.ratio) ? "" : round(row.ratio, 2),
    round(row.p50us),
    round(row.p99us),
    round(row.cpuPerRequestUs, 2),
    `${round(row.serverCpuShare * 100, 0)} %`,
    `${round(row.clientCpuShare * 100, 0)} %${row.clientCpuShare > 0.9 ? " (client-bound)" : ""}`,
    round(row.serverRssKiB / 1024),
  ]);
  const head = [
    ...["clients", "server", "requests/s", "of answers only", "p50 µs", "p99 µs", "CPU µs/request"],
    ...["server CPU", "client CPU", "RSS MiB"],
  ];
  return `Cached RESOLVE by name over the Unix socket, ${rounds === 1 ? "one round" : `medians of ${rounds} rounds`} of ${seconds} s (${date}, ${machine}):

${table(head, rows)}
| what | value |
| --- | --- |
| uncached resolutions through the SA, ${uncached.open} open at a time | ${Math.round(uncached.perSecond).toLocaleString("en")}/s (${uncached.count} destinations) |
| resident memory of the idle daemon | ${round(idleRssKiB / 1024)} MiB |
`;
}
