// pnpm bench neighbours [--rounds N] [--seconds S] [--write]
//
// What 64 clients that ask 500 times a second each notice of others: of nobody, of 64 that never read and 64 that leave half a message, and
// of 5,000 a second that connect and go (in five rounds of 4 s 100,000 of them; a third asks and does not wait, a third leaves in the middle
// of a message). All in turns in every round, `verbena serve` and a server in C that only answers, each on processor 0, the clients on 1.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { answerOnly, buildLoadClient, disturb, loadClient } from "./lib/load-client.mjs";
import { describeMachine } from "./lib/machine.mjs";
import { askOnce, pin, startAnswerOnly, untilAnswered } from "./lib/parties.mjs";
import { median } from "./lib/percentiles.mjs";
import { writeSection } from "./lib/performance-page.mjs";
import { resolveByName } from "./lib/resolve-request.mjs";
import { startDaemon, startFabric } from "./lib/simulated-daemon.mjs";
import { table } from "./lib/table.mjs";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "4" },
    write: { type: "boolean", default: false },
  },
});
const [rounds, seconds] = [values.rounds, values.seconds].map(Number);
const PER_SECOND = 5_000;
const CLIENTS = { connections: 64, everyUs: 2_000, cpu: 1 };
const NEIGHBOURS = [
  { name: "nobody" },
  { name: "64 that never read, 64 with half a message", only: "verbena", options: { unread: 64, half: 64 } },
  { name: "5,000 a second that come and go", options: { cycles: PER_SECOND * seconds, "per-second": PER_SECOND } },
];

/** Starts the neighbours, and waits until those who stay are there. */
async function startNeighbours(socket, options) {
  const numbers = Object.entries({ cpu: CLIENTS.cpu, ...options }).flatMap(([name, value]) => [
    `--${name}`,
    `${value}`,
  ]);
  const child = spawn(disturb, ["--socket", socket, "--request", request, ...numbers], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error("the neighbours ended early");
    return value;
  };
  await next();
  return async () => {
    const took = options.cycles === undefined ? undefined : Number(await next());
    child.stdin.end();
    await once(child, "exit");
    return took;
  };
}

async function measure({ socket }, options) {
  const stop = options === undefined ? undefined : await startNeighbours(socket, options);
  const { p50us, p99us, maxUs, replies, refused } = await loadClient({ socket, request, seconds, ...CLIENTS });
  return { p50us, p99us, maxUs, replies, refused, took: await stop?.() };
}

const request = resolveByName("bench-source", "node2");
const machine = describeMachine();
const dir = mkdtempSync(join(tmpdir(), "verbena-bench-"));
const stops = [];
try {
  buildLoadClient();
  const fabric = await startFabric(dir, 20);
  stops.push(fabric.stop);
  const daemon = await startDaemon(dir);
  stops.push(daemon.stop);
  const reply = await untilAnswered(daemon.socket, Buffer.from(request, "hex"));
  const limit = await startAnswerOnly(dir, answerOnly, reply);
  stops.push(limit.stop);
  const parties = new Map([
    ["verbena", daemon],
    ["C, answers only", limit],
  ]);
  for (const { pid } of parties.values()) pin(pid, 0);
  // The second answer of ours is the first that is kept.
  for (let n = 0; n < 3; n++) await askOnce(daemon.socket, Buffer.from(request, "hex"));

  const rows = [...parties.keys()].flatMap((party) =>
    NEIGHBOURS.filter(({ only = party }) => only === party).map((neighbours) => ({ party, neighbours, runs: [] })),
  );
  for (let round = 0; round < rounds; round++) {
    for (const { party, neighbours, runs } of rows) runs.push(await measure(parties.get(party), neighbours.options));
  }
  const text = report(rows);
  process.stdout.write(text);
  if (values.write) writeSection(join(import.meta.dirname, "..", "docs", "performance.md"), "neighbours", text);
  if (rows.some(({ runs }) => runs.some(({ refused }) => refused > 0))) {
    process.stderr.write("bench neighbours: some requests were refused; the figures do not count\n");
    process.exitCode = 1;
  }
} finally {
  for (const stop of stops.reverse()) await stop();
  rmSync(dir, { recursive: true, force: true });
}

function report(rows) {
  const of = (runs, figure) => median(runs.map((run) => run[figure]));
  const lines = rows.map(({ party, neighbours, runs }) => {
    const quiet = rows.find((row) => row.party === party && row.neighbours.options === undefined);
    const ratio = median(runs.map(({ p99us }, round) => p99us / quiet.runs[round].p99us));
    const gone =
      neighbours.options?.cycles === undefined ? "" : (neighbours.options.cycles * rounds).toLocaleString("en");
    const times = [of(runs, "p50us").toFixed(1), of(runs, "p99us").toFixed(1), of(runs, "maxUs").toFixed(0)];
    return [party, neighbours.name, ...times, ratio.toFixed(2), gone, gone && of(runs, "took").toFixed(1)];
  });
  const head = [
    "server",
    "neighbours",
    "p50 µs",
    "p99 µs",
    "longest µs",
    "p99 of nobody's",
    "came and went",
    "s a round",
  ];
  return `## Neighbours

64 clients that ask 500 times a second each, medians of ${rounds} rounds of ${seconds} s (${new Date().toISOString().slice(0, 10)}, ${machine}):

${table(head, lines)}`;
}
