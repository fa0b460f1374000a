// pnpm bench verbs [--seconds S] [--write]
//
// Messages between two queue pairs of one simulated HCA in one process: our API beside the same loop in C (packages/fabric-sim/test/cc/
// verbs-rate.cc) on the same library, in turns. `poll()` is the C loop word for word, on prepared requests; `for await` reads
// `cq.completions()`. Fails if the C loop is too slow to compare with, or a ratio at 64 requests a batch is below its target.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { describeMachine } from "./lib/machine.mjs";
import { writeSection } from "./lib/performance-page.mjs";
import { table } from "./lib/table.mjs";

const root = join(import.meta.dirname, "..");
const require = createRequire(import.meta.url);
const { openNative } = require("@verbena/native");
const { libfabricsimPath, startFabricThread, twoLevel } = require("@verbena/fabric-sim");

const FILLING = 0x5a;
const QKEY = 0x1111_1111;
const SIZES = { rc: [64, 1024, 4096, 65_536, 1_048_576], ud: [64, 1024, 4096] };
const BATCHES = [1, 16, 64];
const ROUNDS = 5;
/** As in the C loop, the clock is read once in so many batches. */
const CLOCK_ROUNDS = 16;
/** Seconds. */
const WARM_UP = 0.05;
/** Least share of C's rate at 64 requests a batch; of its bandwidth at 1 MiB; least rate of C that counts. */
const [RATE, BANDWIDTH, C_RATE] = [0.7, 0.95, 2e6];

const { values } = parseArgs({
  options: { seconds: { type: "string", default: "0.2" }, write: { type: "boolean", default: false } },
});
const seconds = Number(values.seconds);
const dir = mkdtempSync(join(tmpdir(), "verbena-bench-"));
const fabric = await startFabricThread({ topology: twoLevel({ hosts: 2 }), dir: join(dir, "fabric") });
const native = openNative({ fabric: { dir: fabric.dir, node: "H1", library: libfabricsimPath() } });

function inC(type, size, batch) {
  const program = join(root, "packages/fabric-sim/build/Release/verbs-rate");
  const env = {
    ...process.env,
    FABRICSIM_DIR: fabric.dir,
    FABRICSIM_NODE: "H2",
    LD_LIBRARY_PATH: join(program, ".."),
  };
  const done = spawnSync(program, [type, size, batch, seconds].map(String), { encoding: "utf8", env });
  if (done.status !== 0) throw new Error(`verbs-rate: ${done.stderr}`);
  return Number(done.stdout.split(" ")[0]);
}

/** Two queue pairs with one batch of sends and one of receives prepared. */
async function prepare(context, type, size, batch) {
  const pd = await context.createProtectionDomain();
  const cq = await context.createCompletionQueue({ depth: 4 * batch + 16, batchSize: 2 * batch });
  const { lid } = context.queryPort(1);
  const header = type === "ud" ? 40 : 0;
  const from = await pd.allocate(size);
  const into = await pd.allocate(size + header);
  // Pages that were never written are all one page of the kernel's, which no program sends.
  from.bytes.fill(FILLING);
  const create = () =>
    pd.createQueuePair({ type, sendCq: cq, maxSendWr: batch, maxRecvWr: batch, maxSendSge: 4, maxRecvSge: 4 });
  const [a, b] = await Promise.all([create(), create()]);
  for (const [own, peer] of [
    [a, b],
    [b, a],
  ]) {
    await own.toInit(type === "ud" ? { qkey: QKEY } : {});
    await own.toRtr({ destQpn: peer.qpn, address: { port: 1, dlid: lid } });
    await own.toRts();
  }
  const to =
    type === "ud" ? { to: { ah: await pd.createAddressHandle({ port: 1, dlid: lid }), qpn: b.qpn, qkey: QKEY } } : {};
  const list = Array.from({ length: batch }, (_, wrId) => wrId);
  return {
    cq,
    sends: a.prepareSend(list.map((wrId) => ({ wrId, data: { region: from }, ...to }))),
    receives: b.prepareReceive(list.map((wrId) => ({ wrId, data: { region: into } }))),
  };
}

function check(batch) {
  for (let i = 0; i < batch.length; i++) if (batch.statusCode(i) !== 0) throw new Error(batch.at(i).status);
  return batch.length;
}

function byPoll({ cq, sends, receives }, batch, duration = seconds) {
  let messages = 0;
  const begin = performance.now();
  const end = begin + duration * 1000;
  while (performance.now() < end) {
    for (let round = 0; round < CLOCK_ROUNDS; round++) {
      receives.post();
      sends.post();
      for (let done = 0; done < 2 * batch; ) done += check(cq.poll());
      messages += batch;
    }
  }
  return (messages * 1000) / (performance.now() - begin);
}

async function byIterator({ cq, sends, receives }, batch, duration = seconds) {
  let messages = 0;
  let open = 0;
  let round = 0;
  const begin = performance.now();
  const end = begin + duration * 1000;
  const post = () => {
    receives.post();
    sends.post();
    open = 2 * batch;
  };
  post();
  for await (const completions of cq.completions()) {
    open -= check(completions);
    if (open > 0) continue;
    messages += batch;
    if (++round % CLOCK_ROUNDS === 0 && performance.now() >= end) break;
    post();
  }
  return (messages * 1000) / (performance.now() - begin);
}

/** The best of several runs in turns: what else the machine does takes time from some of them. */
async function measure(type, size, batch) {
  const best = { c: 0, poll: 0, iterator: 0 };
  for (let i = 0; i < ROUNDS; i++) {
    const context = native.verbs.open("sim0");
    const setup = await prepare(context, type, size, batch);
    // Pages are touched and code is compiled, as the first messages of a program do.
    byPoll(setup, batch, WARM_UP);
    await byIterator(setup, batch, WARM_UP);
    best.c = Math.max(best.c, inC(type, size, batch));
    best.poll = Math.max(best.poll, byPoll(setup, batch));
    best.iterator = Math.max(best.iterator, await byIterator(setup, batch));
    await context.close();
  }
  return { type, size, batch, ...best, pollRatio: best.poll / best.c, iteratorRatio: best.iterator / best.c };
}

function problems({ type, size, batch, c, pollRatio, iteratorRatio }) {
  if (batch !== 64) return [];
  const name = `${type}, ${size} B, batch ${batch}`;
  if (size === 64 && c < C_RATE) return [`${name}: C makes ${Math.round(c)} messages/s only: nothing to compare with`];
  const wanted = size === 1_048_576 ? BANDWIDTH : RATE;
  return [
    ["poll()", pollRatio],
    ["for await", iteratorRatio],
  ]
    .filter(([, ratio]) => ratio < wanted)
    .map(([how, ratio]) => `${name}, ${how}: ${ratio.toFixed(2)} of C, wanted are ${wanted}`);
}

const machine = describeMachine();
const results = [];
for (const [type, sizes] of Object.entries(SIZES)) {
  for (const size of sizes) for (const batch of BATCHES) results.push(await measure(type, size, batch));
}
await native.close();
await fabric.close();
rmSync(dir, { recursive: true });

const round = (value) => Math.round(value).toLocaleString("en");
const rows = results.map((result) => [
  result.type.toUpperCase(),
  result.size.toLocaleString("en"),
  result.batch,
  round(result.c),
  round(result.poll),
  result.pollRatio.toFixed(2),
  round(result.iterator),
  result.iteratorRatio.toFixed(2),
]);
const head = ["type", "bytes", "batch", "C, messages/s", "poll()", "of C", "for await", "of C"];
const date = new Date().toISOString().slice(0, 10);
const text = `## Verbs

Two queue pairs of one simulated HCA in one process, signalled sends, our API beside the same loop in C on the same library; the best of ${ROUNDS} runs
of ${seconds} s in turns (${date}, ${machine}):

${table(head, rows)}`;
process.stdout.write(text);
for (const problem of results.flatMap(problems)) {
  process.stderr.write(`bench verbs: ${problem}\n`);
  process.exitCode = 1;
}
const folder = join(root, "build", "bench");
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, "verbs.json"), `${JSON.stringify({ machine, date, results }, undefined, 2)}\n`);
if (values.write) writeSection(join(root, "docs", "performance.md"), "verbs", text);
