// pnpm bench opensm-sweep [--hosts N,N] [--write]
//
// How long Debian's OpenSM takes to bring a simulated fabric up, from its start to "SUBNET UP", and to follow a host's link that goes and one
// that comes. Fat trees of 100 hosts with 5 switches and of 648 hosts with 54. Skipped, with the reason, where OpenSM is not installed.
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
require("../scripts/lib/typescript-hook.cjs");
const { OpenSm } = require("../test/peers/opensm.ts");
const { missing } = require("../test/peers/sim-programs.ts");
const { fatTree, SimControlClient, startFabricThread } = require("@verbena/fabric-sim");

const TREES = { 100: { leafs: 4, spines: 1 }, 648: { leafs: 36, spines: 18 } };
const { values } = parseArgs({
  options: { hosts: { type: "string", default: "100,648" }, write: { type: "boolean", default: false } },
});

async function measure(hosts) {
  const tree = TREES[hosts] ?? { leafs: Math.ceil(hosts / 18), spines: 2 };
  const base = mkdtempSync(join(tmpdir(), "verbena-bench-"));
  const fabric = await startFabricThread({
    topology: fatTree({ hosts, ...tree }),
    dir: join(base, "fabric"),
    sm: "opensm",
  });
  const control = await SimControlClient.connect(fabric.dir);
  try {
    const begin = performance.now();
    const opensm = await OpenSm.up({ fabric: fabric.dir, node: "H1" });
    const firstMs = performance.now() - begin;
    const { nodes } = await control.request({ op: "status" });
    const isUp = nodes.every(({ ports }) => ports.every(({ state }) => state === "active"));
    const follow = async (action) => {
      const before = performance.now();
      await control.request({ op: "link", action, end: `H${hosts}` });
      await opensm.logs("SUBNET UP");
      return performance.now() - before;
    };
    const [downMs, upMs] = [await follow("down"), await follow("up")];
    await opensm.stop();
    return { hosts, switches: tree.leafs + tree.spines, isUp, firstMs, downMs, upMs };
  } finally {
    await control.close();
    await fabric.close();
    rmSync(base, { recursive: true, force: true });
  }
}

const reason = missing("opensm");
if (reason !== undefined) {
  console.log(`bench opensm-sweep: skipped: ${reason}`);
} else {
  const machine = describeMachine();
  const results = [];
  for (const hosts of values.hosts.split(",").map(Number)) results.push(await measure(hosts));
  const rows = results.map(({ hosts, switches, firstMs, downMs, upMs }) => [
    hosts,
    switches,
    ...[firstMs, downMs, upMs].map((ms) => (ms / 1000).toFixed(2)),
  ]);
  const date = new Date().toISOString().slice(0, 10);
  const text = `## Sweeps of OpenSM on the simulator

Seconds until "SUBNET UP" (${date}, ${machine}):

${table(["hosts", "switches", "from its start", "after a link went", "after it came"], rows)}`;
  process.stdout.write(text);
  mkdirSync(join(root, "build", "bench"), { recursive: true });
  writeFileSync(
    join(root, "build", "bench", "opensm-sweep.json"),
    `${JSON.stringify({ machine, date, results }, undefined, 2)}\n`,
  );
  if (values.write) writeSection(join(root, "docs", "performance.md"), "opensm-sweep", text);
  if (results.some(({ isUp }) => !isUp)) {
    process.stderr.write("bench opensm-sweep: not every port is active\n");
    process.exitCode = 1;
  }
}
