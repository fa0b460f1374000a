// pnpm bench storm [--daemons N] [--write]
//
// A cluster that starts: N daemons (64), each asked for all others at once, on a simulated fabric whose SA answers after 20 ms. Counted is
// what reaches the SA: Get and GetTable, and how many queries of one daemon were there at the same time. Beside it ibacm's rule: one
// query a pair, one at a time. Fails if an answer is wrong, if prefetch costs more than two queries a daemon, or the window is exceeded.
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { describeMachine } from "./lib/machine.mjs";
import { writeSection } from "./lib/performance-page.mjs";
import { table } from "./lib/table.mjs";

/** `sa.depth` unless the configuration says otherwise, and `sa_depth` of ibacm. */
const [WINDOW, IBACM_WINDOW] = [16, 1];

const root = join(import.meta.dirname, "..");
const require = createRequire(import.meta.url);
require("../scripts/lib/typescript-hook.cjs");
const { storm } = require("../packages/cli/test/support/storm.ts");

const { values } = parseArgs({
  options: { daemons: { type: "string", default: "64" }, write: { type: "boolean", default: false } },
});
const daemons = Number(values.daemons);

function problems({ pairs, right, mostOfOne, peakOpen }, most, window) {
  return [
    ...(right === pairs ? [] : [`${pairs - right} of ${pairs} answers are wrong`]),
    ...(mostOfOne <= most ? [] : [`a daemon made ${mostOfOne} queries, allowed are ${most}`]),
    ...(peakOpen <= window ? [] : [`${peakOpen} queries of a daemon at once, the window is ${window}`]),
  ];
}

const machine = describeMachine();
const runs = [
  ["prefetch: port", "port", WINDOW, 2],
  ["prefetch: none", "none", WINDOW, daemons],
  ["prefetch: none, window 1: ibacm's rule", "none", IBACM_WINDOW, daemons],
];
const rows = [];
const results = {};
for (const [name, prefetch, saDepth, most] of runs) {
  const figures = await storm({ daemons, prefetch, saDepth });
  results[name] = figures;
  const count = (what) => figures.queries[what] ?? 0;
  const { pairs, mostOfOne, peakOpen } = figures;
  const tables = count("NodeRecord GetTable") + count("PathRecord GetTable");
  rows.push([name, pairs, tables, count("PathRecord Get"), mostOfOne, peakOpen]);
  for (const problem of problems(figures, most, saDepth)) {
    process.stderr.write(`bench storm: ${name}: ${problem}\n`);
    process.exitCode = 1;
  }
}
const head = ["run", "pairs", "GetTable", "PathRecord Get", "most of one daemon", "at once"];
const date = new Date().toISOString().slice(0, 10);
const text = `## Start-up storm

${daemons} daemons ask for all others at once; the SA answers after 20 ms; all engines share one process (${date}, ${machine}):

${table(head, rows)}`;
process.stdout.write(text);
const folder = join(root, "build", "bench");
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, "storm.json"), `${JSON.stringify({ machine, date, daemons, results }, undefined, 2)}\n`);
if (values.write) writeSection(join(root, "docs", "performance.md"), "storm", text);
