// pnpm bench verbs-wake [--count N] [--write]
//
// From post to completion in hand: a thread in C posts a message with the time in it each millisecond (packages/native/test/cc/wake-poster.h), the
// main thread waits for its completion, by event, by polling, and adaptively. Beside it a thread that waits for events in C (verbs-wake.cc) for
// the same poster on the same library. Fails if an event takes more than twice as long as in C.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { describeMachine } from "./lib/machine.mjs";
import { writeSection } from "./lib/performance-page.mjs";
import { table } from "./lib/table.mjs";

const root = join(import.meta.dirname, "..");
const require = createRequire(import.meta.url);
const { openNative } = require("@verbena/native");
const { libfabricsimPath, startFabricThread, twoLevel } = require("@verbena/fabric-sim");

const INTERVAL_US = 1000;
/** Messages, and microseconds between them. */
const WARM_UP = [10_000, 20];
const ROUNDS = 3;
const RECEIVES = 64;
const MOST = 2;
const MODES = {
  event: "event",
  "adaptive, 0.1 ms": { type: "adaptive", spinUs: 100 },
  "adaptive, 2 ms": { type: "adaptive", spinUs: 2000 },
  poll: "poll",
};

const { values } = parseArgs({
  options: { count: { type: "string", default: "1000" }, write: { type: "boolean", default: false } },
});
const count = Number(values.count);
const dir = mkdtempSync(join(tmpdir(), "verbena-wake-"));
const fabric = await startFabricThread({ topology: twoLevel({ hosts: 2 }), dir: join(dir, "fabric") });
const options = { fabric: { dir: fabric.dir, node: "H1", library: libfabricsimPath() } };
const native = openNative(options);
const { WakePoster } = require("../packages/native/build/Release/wake_poster.node");

/** The clock that the poster writes into its messages: CLOCK_MONOTONIC. */
const nowUs = () => Number(process.hrtime.bigint()) / 1000;

function inC() {
  const program = join(root, "packages/native/build/Release/verbs-wake");
  const env = { ...process.env, FABRICSIM_DIR: fabric.dir, FABRICSIM_NODE: "H2" };
  const args = [libfabricsimPath(), count, INTERVAL_US].map(String);
  const done = spawnSync(program, args, { encoding: "utf8", env });
  if (done.status !== 0) throw new Error(`verbs-wake: ${done.stderr}`);
  const [median, p99, share] = done.stdout.split(" ").map(Number);
  return { median, p99, share };
}

async function inMode(mode, count, intervalUs) {
  const context = native.verbs.open("sim0");
  const pd = await context.createProtectionDomain();
  const channel = await context.createCompletionChannel();
  const cq = await context.createCompletionQueue({ depth: 128, channel, mode });
  const pair = await pd.createQueuePair({ type: "rc", sendCq: cq });
  const region = await pd.allocate(8);
  const time = new Float64Array(region.bytes.buffer);
  const poster = new WakePoster(libfabricsimPath());
  await pair.toInit();
  await pair.toRtr({ destQpn: poster.qpn(), address: { port: 1, dlid: context.queryPort(1).lid } });
  await pair.toRts();
  const receive = pair.prepareReceive([{ data: { region } }]);
  for (let i = 0; i < RECEIVES; i++) receive.post();
  const cpu = process.cpuUsage();
  const begin = nowUs();
  poster.start(pair.qpn, count, intervalUs);
  const took = [];
  for await (const batch of cq.completions()) {
    const now = nowUs();
    for (let i = 0; i < batch.length; i++) {
      took.push(now - time[0]);
      receive.post();
    }
    if (took.length >= count) break;
  }
  const { user, system } = process.cpuUsage(cpu);
  const elapsedUs = nowUs() - begin;
  const posterUs = poster.join();
  poster.close();
  await context.close();
  took.sort((a, b) => a - b);
  return {
    median: took[Math.floor(count / 2)],
    p99: took[Math.floor(count * 0.99)],
    share: (user + system - posterUs) / elapsedUs,
  };
}

const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
const machine = describeMachine();
const runs = { "C, event": [] };
for (const name of Object.keys(MODES)) runs[name] = [];
// The first are for the compiler, which waits for thousands of calls.
for (const mode of Object.values(MODES)) await inMode(mode, ...WARM_UP);
for (let i = 0; i < ROUNDS; i++) {
  runs["C, event"].push(inC());
  for (const [name, mode] of Object.entries(MODES)) runs[name].push(await inMode(mode, count, INTERVAL_US));
}
await native.close();
await fabric.close();
rmSync(dir, { recursive: true });

const results = Object.entries(runs).map(([name, list]) => ({
  name,
  median: median(list.map((run) => run.median)),
  p99: median(list.map((run) => run.p99)),
  share: median(list.map((run) => run.share)),
}));
const [c, event] = results;
const rows = results.map(({ name, median: middle, p99, share }) => [
  name,
  middle.toFixed(1),
  p99.toFixed(1),
  `${(share * 100).toFixed(0)} %`,
]);
const date = new Date().toISOString().slice(0, 10);
const figures = table(["wait", "median µs", "p99 µs", "processor"], rows);
const text = `## Waiting for completions

A thread in C posts a message each millisecond, another thread waits for its completion; microseconds from post to completion in hand, medians of
${ROUNDS} runs of ${count} messages. Processor time is of the process without the posting thread (${date}, ${machine}):

${figures}`;
process.stdout.write(text);
if (event.median > MOST * c.median) {
  process.stderr.write(
    `bench verbs-wake: an event takes ${(event.median / c.median).toFixed(1)} times as long as in C, at most ${MOST} are allowed\n`,
  );
  process.exitCode = 1;
}
const folder = join(root, "build", "bench");
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, "verbs-wake.json"), `${JSON.stringify({ machine, date, results }, undefined, 2)}\n`);
if (values.write) {
  // The guide speaks of these figures.
  const short = `${figures}\n(${date}, ${machine}; see [performance](performance.md))\n`;
  writeSection(join(root, "docs", "performance.md"), "verbs-wake", text);
  writeSection(join(root, "docs", "completion-channels.md"), "verbs-wake", short);
}
