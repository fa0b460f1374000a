// pnpm bench daemon [--seconds S] [--rounds N] [--hosts N] [--write]
//
// Cached RESOLVE over the Unix socket with 1, 16, 64 and 256 clients, driven by the native load client; uncached SA resolutions per
// second; start to first answer. All against `verbena serve` on a simulated fabric. Prints tables, writes build/bench/daemon.json,
// and with --write puts the tables into docs/performance.md.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildLoadClient, loadClient } from "./lib/load-client.mjs";
import { describeMachine } from "./lib/machine.mjs";
import { writeSection } from "./lib/performance-page.mjs";
import { startDaemon, startFabric, timeStart } from "./lib/simulated-daemon.mjs";
import { table } from "./lib/table.mjs";
import { resolveUncached } from "./lib/uncached.mjs";

const root = join(import.meta.dirname, "..");
const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "3" },
    rounds: { type: "string", default: "3" },
    hosts: { type: "string", default: "1000" },
    write: { type: "boolean", default: false },
  },
});
const [seconds, rounds, hosts] = [values.seconds, values.rounds, values.hosts].map(Number);

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

/** RESOLVE with a NAME source and a NAME destination, tid 0, as `ib_acme -f n -s SOURCE -d DESTINATION` sends it. */
function resolveByName(source, destination) {
  const message = Buffer.alloc(160);
  message.set([1, 1], 0);
  message.set(new Uint8Array(Uint16Array.of(message.length).buffer), 6);
  for (const [at, flag, name] of [
    [16, 1, source],
    [88, 2, destination],
  ]) {
    message.set(new Uint8Array(Uint32Array.of(flag).buffer), at);
    message.set(new Uint8Array(Uint16Array.of(1).buffer), at + 4);
    message.write(name, at + 8);
  }
  return message.toString("hex");
}

/** Rounds are interleaved over the numbers of clients, so that a slow minute of the machine hits all of them. */
async function measureCached(daemon) {
  const request = resolveByName("bench-source", "node2");
  const runs = new Map([1, 16, 64, 256].map((connections) => [connections, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [connections, results] of runs) {
      results.push(await loadClient({ socket: daemon.socket, request, connections, seconds, pid: daemon.pid }));
    }
  }
  return [...runs].map(([connections, results]) => {
    const of = (name) => median(results.map((result) => result[name]));
    return {
      connections,
      requestsPerSecond: of("requestsPerSecond"),
      p50us: of("p50us"),
      p99us: of("p99us"),
      cpuPerRequestUs: of("cpuPerRequestUs"),
      serverCpuShare: of("serverCpuShare"),
      clientCpuShare: of("clientCpuShare"),
      serverRssKiB: of("serverRssKiB"),
      refused: results.reduce((sum, { refused }) => sum + refused, 0),
    };
  });
}

const machine = describeMachine();
const dir = mkdtempSync(join(tmpdir(), "verbena-bench-"));
const stops = [];
try {
  buildLoadClient();
  const fabric = await startFabric(dir, hosts);
  stops.push(fabric.stop);
  const starts = [];
  for (let round = 0; round < rounds + 2; round++) starts.push(await timeStart(dir));
  const daemon = await startDaemon(dir);
  stops.push(daemon.stop);
  const idleRssKiB = daemon.rssKiB();
  const uncached = await resolveUncached(daemon, hosts);
  const cached = await measureCached(daemon);

  const results = {
    machine,
    date: new Date().toISOString().slice(0, 10),
    seconds,
    rounds,
    cached,
    uncached,
    start: {
      firstAnswerMs: median(starts.map(({ firstAnswerMs }) => firstAnswerMs)),
      bareNodeMs: median(starts.map(({ bareNodeMs }) => bareNodeMs)),
    },
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

function report({ machine, date, cached, uncached, start, idleRssKiB }) {
  const round = (value, digits = 1) => value.toFixed(digits);
  const rows = cached.map((row) => [
    row.connections,
    Math.round(row.requestsPerSecond).toLocaleString("en"),
    round(row.p50us),
    round(row.p99us),
    round(row.cpuPerRequestUs),
    `${round(row.serverCpuShare * 100, 0)} %`,
    `${round(row.clientCpuShare * 100, 0)} %${row.clientCpuShare > 0.9 ? " (client-bound)" : ""}`,
    round(row.serverRssKiB / 1024),
  ]);
  const head = ["clients", "requests/s", "p50 µs", "p99 µs", "CPU µs/request", "server CPU", "client CPU", "RSS MiB"];
  return `Cached RESOLVE by name over the Unix socket, ${rounds === 1 ? "one round" : `medians of ${rounds} rounds`} of ${seconds} s (${date}, ${machine}):

${table(head, rows)}
| what | value |
| --- | --- |
| uncached resolutions through the SA, ${uncached.open} open at a time | ${Math.round(uncached.perSecond).toLocaleString("en")}/s (${uncached.count} destinations) |
| start of \`verbena serve\` to its first answer | ${Math.round(start.firstAnswerMs)} ms (bare \`node -e 0\`: ${Math.round(start.bareNodeMs)} ms) |
| resident memory of the idle daemon | ${round(idleRssKiB / 1024)} MiB |
`;
}
