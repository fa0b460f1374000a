// pnpm bench memory [--routes N] [--write]
//
// What a daemon with N routes (default 50,000) needs beyond an idle one with the same options, bytes a route: preloaded from an OpenSM dump and a
// hosts file, and in the caches after each has been asked for once. Beside it the unmodified ibacm with the same files. Resident memory, and
// what JavaScript holds after a collection of garbage: the first counts what the collector has not given back as well. An answer is kept in the
// front end's reply table when it is given for the second time, so that this table stays empty here.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { LargeCluster } from "./lib/large-cluster.mjs";
import { describeMachine } from "./lib/machine.mjs";
import { ownPort } from "./lib/own-port.mjs";
import { missingIbacm, startIbacmWith } from "./lib/parties.mjs";
import { writeSection } from "./lib/performance-page.mjs";
import { startDaemon, startFabric } from "./lib/simulated-daemon.mjs";
import { table } from "./lib/table.mjs";

const require = createRequire(import.meta.url);
const root = join(import.meta.dirname, "..");
/** Unicast LIDs end at 49,151: further routes are to LIDs that have one by GID already. */
const MOST_PORTS = 49_000;
const OPEN = 64;
/** Since the start of the benchmark. */
const GIVE_UP_MS = 60_000;
const { values } = parseArgs({
  options: { routes: { type: "string", default: "50000" }, write: { type: "boolean", default: false } },
});
const routes = Number(values.routes);
const ports = Math.min(routes, MOST_PORTS);
if (!Number.isInteger(routes) || routes < 1 || routes > 2 * ports)
  throw new Error("--routes takes a number up to 98000");

const machine = describeMachine();
const dir = mkdtempSync(join(tmpdir(), "verbena-bench-"));
const file = (name) => join(dir, name);
const stops = [];

const preload = (dump, hosts) => [
  "route_preload opensm_full_v1",
  `route_data_file ${file(dump)}`,
  "addr_preload acm_hosts",
  `addr_data_file ${file(hosts)}`,
];

/** Resident memory, and what JavaScript uses; bytes. */
async function memoryOf(daemon) {
  rmSync(file("memory"), { force: true });
  process.kill(daemon.pid, "SIGUSR2");
  while (!existsSync(file("memory"))) await new Promise((resolve) => setTimeout(resolve, 10));
  const { rss, heapUsed, external } = JSON.parse(readFileSync(file("memory"), "utf8"));
  return { rss, used: heapUsed + external };
}

async function startOurs(dump, hosts) {
  const options = ["log_file stderr", `lock_file ${file("lock")}`, ...preload(dump, hosts)];
  const env = {
    NODE_OPTIONS: `--require ${join(import.meta.dirname, "lib/memory-probe.cjs")}`,
    VERBENA_BENCH_MEMORY: file("memory"),
  };
  const daemon = await startDaemon(dir, { options, env });
  stops.push(daemon.stop);
  return daemon;
}

/** False for the answer of an endpoint that is not ready; other errors are thrown. */
function isNotReady(error) {
  if (error.details?.name === "ENODATA" && performance.now() < GIVE_UP_MS) return false;
  throw error;
}

/** Asks `count` things, `OPEN` at a time over one connection. */
async function askAll(daemon, count, ask) {
  const { AcmClient } = require("@verbena/core/client");
  const client = await AcmClient.connect({ socketPath: daemon.socket, pipelined: true });
  // The endpoint may still be joining its group.
  while (!(await ask(client, 1).then(() => true, isNotReady))) await new Promise((resolve) => setImmediate(resolve));
  let next = 1;
  const worker = async () => {
    for (let n = next++; n <= count; n = next++) await ask(client, n);
  };
  await Promise.all(Array.from({ length: OPEN }, worker));
  await client.close();
}

async function measureOurs(cluster) {
  const idle = await startOurs("empty-dump", "empty-hosts");
  const before = await memoryOf(idle);
  await stops.pop()();
  const daemon = await startOurs("dump", "hosts");
  const rows = [];
  const add = async (what, count) => {
    const { rss, used } = await memoryOf(daemon);
    rows.push({ what, count, rss: (rss - before.rss) / count, used: (used - before.used) / count });
  };
  await add("preloaded, routes and names", ports);
  await askAll(daemon, routes, (client, n) =>
    client.resolvePath(n <= ports ? { dgid: cluster.gid(n) } : { dlid: n - ports }),
  );
  await add("each route asked for by GID", routes);
  await askAll(daemon, ports, (client, n) => client.resolve({ source: "bench-source", destination: `host-${n}` }));
  await add("each asked for by name as well", routes);
  await stops.pop()();
  return rows;
}

async function measureTheirs() {
  const rss = async (dump, hosts) => {
    const theirs = await startIbacmWith(dir, "H1", preload(dump, hosts));
    const [, kib] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${theirs.pid}/status`, "utf8"));
    await theirs.stop();
    return Number(kib) * 1024;
  };
  const idle = await rss("empty-dump", "empty-hosts");
  return { what: "ibacm, preloaded", count: ports, rss: ((await rss("dump", "hosts")) - idle) / ports };
}

try {
  const fabric = await startFabric(dir, 2);
  stops.push(fabric.stop);
  const cluster = new LargeCluster(ports, await ownPort(dir));
  cluster.writeDump(file("dump"));
  cluster.writeHosts(file("hosts"));
  for (const name of ["empty-dump", "empty-hosts"]) writeFileSync(file(name), "");
  const rows = await measureOurs(cluster);
  const reason = missingIbacm();
  if (reason === undefined) rows.push(await measureTheirs());
  else process.stderr.write(`bench memory: without ibacm: ${reason}\n`);
  const text = `## Memory of routes

Above a daemon with empty preload files, bytes a route (${new Date().toISOString().slice(0, 10)}, ${machine}):

${table(
  ["", "routes", "resident", "used by JavaScript"],
  rows.map(({ what, count, rss, used }) => [what, count, Math.round(rss), used === undefined ? "" : Math.round(used)]),
)}`;
  console.log(text);
  mkdirSync(join(root, "build", "bench"), { recursive: true });
  writeFileSync(join(root, "build", "bench", "memory.json"), `${JSON.stringify({ machine, rows }, null, 2)}\n`);
  if (values.write) writeSection(join(root, "docs", "performance.md"), "memory", text);
} finally {
  for (const stop of stops.reverse()) await stop();
  rmSync(dir, { recursive: true, force: true });
}
