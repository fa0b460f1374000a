// pnpm bench startup [--rounds N] [--hosts N] [--write]
//
// How long programs take to be of use, interleaved in every round: `node -e 0` that does nothing; `verbena resolve`, from start to end, of what
// a running daemon has in its cache; `verbena serve` and the unmodified ibacm on the same simulated fabric, from start to the first answer
// on the Unix socket. Ours from its bundles, which are made anew, and with the code that earlier starts have left. Ratios are to
// `node -e 0` of the same round; those of processor time bear other work on the machine better. Prints a table, and with --write puts it into docs/performance.md.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { describeMachine } from "./lib/machine.mjs";
import { missingIbacm, spawnIbacm, untilAnswered } from "./lib/parties.mjs";
import { median } from "./lib/percentiles.mjs";
import { writeSection } from "./lib/performance-page.mjs";
import { daemonCommand, startDaemon, startFabric, verbena } from "./lib/simulated-daemon.mjs";
import { table } from "./lib/table.mjs";
import { endedChildrenTimeMs, processTimeMs } from "./lib/thread-time.mjs";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "15" },
    hosts: { type: "string", default: "20" },
    write: { type: "boolean", default: false },
  },
});
const [rounds, hosts] = [values.rounds, values.hosts].map(Number);

/** PERF_QUERY without an address: what both daemons answer as soon as they listen. */
const COUNTERS = Buffer.from("0102000000000010".padEnd(32, "0"), "hex");

/** The command line that asks a daemon. */
function resolve({ socket }) {
  return [verbena, "resolve", "node2", "--socket", socket];
}

function untilEnd(args) {
  const [begin, cpu] = [performance.now(), endedChildrenTimeMs()];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${args.join(" ")} ended with ${status}\n${stderr}`);
  return { ms: performance.now() - begin, cpuMs: endedChildrenTimeMs() - cpu };
}

async function untilFirstAnswer(startServer) {
  const begin = performance.now();
  const [child, socket] = startServer();
  const ended = new Promise((resolve) => child.once("exit", resolve));
  await untilAnswered(socket, COUNTERS);
  const took = { ms: performance.now() - begin, cpuMs: processTimeMs(child.pid) };
  child.kill("SIGTERM");
  await ended;
  return took;
}

function startServe() {
  const { args, socket } = daemonCommand(dir);
  rmSync(socket, { force: true });
  return [spawn(process.execPath, [verbena, ...args], { stdio: "ignore" }), socket];
}

const machine = describeMachine();
const dir = mkdtempSync(join(tmpdir(), "verbena-bench-"));
const stops = [];
try {
  const fabric = await startFabric(dir, hosts);
  stops.push(fabric.stop);
  await leaveCode();
  const reason = missingIbacm();
  if (reason !== undefined) process.stderr.write(`bench startup: without ibacm: ${reason}\n`);
  const parties = [
    { what: "`node -e 0`, to its end", time: () => untilEnd(["-e", "0"]) },
    { what: "`verbena resolve`, to its end", time: timeResolve },
    { what: "`verbena serve`, to its first answer", time: () => untilFirstAnswer(startServe) },
    ...(reason === undefined
      ? [{ what: "ibacm, to its first answer", time: () => untilFirstAnswer(() => spawnIbacm(dir, "H1", "")) }]
      : []),
  ].map((party) => ({ ...party, times: [] }));
  for (let round = 0; round < rounds; round++) {
    for (const { time, times } of parties) times.push(await time());
  }
  const text = report(parties);
  process.stdout.write(text);
  if (values.write) writeSection(join(import.meta.dirname, "..", "docs", "performance.md"), "startup", text);
} finally {
  for (const stop of stops.reverse()) await stop();
  rmSync(dir, { recursive: true, force: true });
}

/** A first daemon and command leave their compiled code; a daemon does when it has run for three seconds. */
async function leaveCode() {
  execFileSync(process.execPath, [join(import.meta.dirname, "../scripts/lib/bundle.mjs")]);
  const daemon = await startDaemon(dir);
  untilEnd(resolve(daemon));
  await setTimeout(4000);
  await daemon.stop();
}

/** The daemon runs for this alone, so that no other start has it beside. */
async function timeResolve() {
  const daemon = await startDaemon(dir);
  try {
    // What is measured is the program, not a fabric where nobody answers the multicast: the second answer is from the cache.
    untilEnd(resolve(daemon));
    return untilEnd(resolve(daemon));
  } finally {
    await daemon.stop();
  }
}

function report([bare, ...others]) {
  const columns = (times, ofBare) => [
    median(times).toFixed(0),
    Math.min(...times).toFixed(0),
    median(times.map((time, round) => time / ofBare[round])).toFixed(2),
  ];
  const of = ({ times }, figure) => times.map((time) => time[figure]);
  const row = (party) => [
    party.what,
    ...["ms", "cpuMs"].flatMap((figure) => columns(of(party, figure), of(bare, figure))),
  ];
  const head = ["what", "ms", "fastest", "of `node -e 0`", "CPU ms", "least", "of `node -e 0`"];
  return `Start, medians of ${rounds} rounds, and the ratio to a Node that does nothing in the same round (${new Date().toISOString().slice(0, 10)}, ${machine}):

${table(head, [bare, ...others].map(row))}`;
}
