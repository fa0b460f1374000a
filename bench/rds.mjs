// pnpm bench rds [--quick] [--write]
//
// Messages that an echo sends back: RDS sockets over TCP (two processes) and over loopback (one), as ratios to framed messages on a connection of
// node:net and to a program in C on a plain TCP connection (packages/native/test/cc/tcp-echo.cc, two processes), in the same run. The program in C is
// there twice: with frames, where each message is cut out of the stream and has memory of its own, and as a stream, which is sent back as it comes.
// RDS sockets receive into memory of the program's own (`into`); once more over TCP each message keeps the memory that it came in.
// Fails if messages up to 64 KiB over TCP are below 0.8 of node:net, or those of 8 KiB below 0.5 of C with frames. CPU is that of both processes, so
// that it tells something on a machine that has other things to do, too.
import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { describeMachine } from "./lib/machine.mjs";
import { writeSection } from "./lib/performance-page.mjs";
import { playEnd } from "./lib/rds-ends.mjs";
import { table } from "./lib/table.mjs";

const root = join(import.meta.dirname, "..");
const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    // What the program starts itself with.
    end: { type: "string" },
  },
});
const ROUNDS = values.quick ? 1 : 3;
const SECONDS_WORTH = values.quick ? 0.25 : 1;
const LEAST = { net: 0.8, c: 0.5 };
/** Payload bytes, messages under way, messages in a second's worth. */
const SIZES = [
  { name: "64 B", length: 64, depth: 128, count: 300_000 },
  { name: "1 KiB", length: 1024, depth: 128, count: 200_000 },
  { name: "8 KiB", length: 8192, depth: 64, count: 60_000 },
  { name: "64 KiB", length: 65_536, depth: 16, count: 12_000 },
  { name: "1 MiB", length: 1 << 20, depth: 4, count: 800 },
];
/** Of the times in /proc. */
const TICK_US = 10_000;
let runs = 0;

/** One run of one kind: its rate and, of ping-pong, its times. */
async function run(kind, { length, depth, count, sockets = 1, isKept = false }) {
  runs += 1;
  const settings = {
    kind,
    isKept,
    length,
    depth,
    sockets,
    count: Math.max(sockets * depth, Math.floor(count * SECONDS_WORTH)),
    port: 20_000 + ((process.pid + runs) % 20_000),
    here: "127.88.0.2",
    there: "127.88.0.3",
  };
  const start = (role) => {
    const child = spawn(process.execPath, [import.meta.filename, "--end", JSON.stringify({ ...settings, role })], {
      stdio: ["ignore", "pipe", "inherit"],
      cwd: root,
    });
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    return { child, line: async () => (await lines.next()).value };
  };
  const echo = kind === "loop" ? undefined : start("echo");
  await echo?.line();
  const driver = start("drive");
  await driver.line();
  const before = echo === undefined ? 0 : cpuTicks(echo.child.pid);
  const result = JSON.parse(await driver.line());
  if (echo !== undefined) {
    const { sent } = result;
    result.cpuUs += ((cpuTicks(echo.child.pid) - before) * TICK_US) / sent;
    echo.child.kill();
  }
  return result;
}

/** CPU time of a process so far. */
function cpuTicks(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1].split(" ");
  return Number(fields[11]) + Number(fields[12]);
}

function inC(kind, { length, depth, count }) {
  const messages = Math.floor(count * SECONDS_WORTH * 3);
  const args = [kind, ...[length, depth, messages].map(String)];
  const done = spawnSync(join(root, "packages/native/build/Release/tcp-echo"), args, { encoding: "utf8" });
  if (done.status !== 0) throw new Error(`tcp-echo: ${done.stderr}`);
  const [rate, cpuSeconds] = done.stdout.split(" ").map(Number);
  return { rate, cpuUs: (cpuSeconds * 1e6) / messages };
}

const median = (numbers) => numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

/** Median rates of each kind; the kinds take turns, so that a slower minute of the machine meets all of them. */
async function compare(size) {
  const rates = {
    frames: [],
    framesCpu: [],
    stream: [],
    net: [],
    netCpu: [],
    tcp: [],
    tcpCpu: [],
    kept: [],
    tcp16: [],
    loop: [],
  };
  for (let round = 0; round < ROUNDS; round++) {
    const frames = inC("frames", size);
    rates.frames.push(frames.rate);
    rates.framesCpu.push(frames.cpuUs);
    rates.stream.push(inC("stream", size).rate);
    for (const kind of ["net", "tcp"]) {
      const { rate, cpuUs } = await run(kind, size);
      rates[kind].push(rate);
      rates[`${kind}Cpu`].push(cpuUs);
    }
    rates.kept.push((await run("tcp", { ...size, isKept: true })).rate);
    rates.tcp16.push(
      (await run("tcp", { ...size, depth: Math.max(1, Math.floor(size.depth / 16)), sockets: 16 })).rate,
    );
    rates.loop.push((await run("loop", size)).rate);
  }
  return Object.fromEntries(Object.entries(rates).map(([kind, list]) => [kind, median(list)]));
}

async function main() {
  const machine = describeMachine();
  const count = (rate) => Math.round(rate).toLocaleString("en");
  const rows = [];
  const failures = [];
  for (const size of SIZES) {
    const { frames, framesCpu, stream, net, netCpu, tcp, tcpCpu, kept, tcp16, loop } = await compare(size);
    rows.push([
      size.name,
      count(tcp),
      ((tcp * size.length) / 1e6).toFixed(1),
      (tcp / net).toFixed(2),
      (netCpu / tcpCpu).toFixed(2),
      (kept / net).toFixed(2),
      (tcp / frames).toFixed(2),
      (framesCpu / tcpCpu).toFixed(2),
      (net / frames).toFixed(2),
      (tcp / stream).toFixed(2),
      (tcp16 / net).toFixed(2),
      count(loop),
      (loop / net).toFixed(2),
    ]);
    if (size.length <= 65_536 && tcp / net < LEAST.net) {
      failures.push(`${size.name}: ${(tcp / net).toFixed(2)} of node:net`);
    }
    if (size.length === 8192 && tcp / frames < LEAST.c) failures.push(`8 KiB: ${(tcp / frames).toFixed(2)} of C`);
  }
  const latency = [];
  for (const kind of ["net", "tcp", "loop"]) {
    const { medianUs, p99Us } = await run(kind, { length: 64, depth: 1, count: 20_000 });
    latency.push([kind === "net" ? "node:net" : kind, medianUs.toFixed(0), p99Us.toFixed(0)]);
  }
  const columns = [
    "message",
    "tcp, messages/s there and back",
    "MB/s each way",
    "of node:net",
    "by CPU",
    "messages kept, of node:net",
    "of C, frames",
    "by CPU",
    "node:net of C, frames",
    "of C, stream",
  ];
  const head = [...columns, "16 sockets, of node:net", "loop, messages/s", "of node:net"];
  const text = [machine, table(head, rows), table(["64 B, one under way", "median µs", "99 % µs"], latency)].join(
    "\n\n",
  );
  console.log(text);
  if (values.write) writeSection(join(root, "docs/performance.md"), "rds", text);
  for (const failure of failures) console.error(`bench rds: ${failure}`);
  process.exitCode = failures.length > 0 ? 1 : 0;
}

await (values.end === undefined ? main() : playEnd(JSON.parse(values.end)));
