// pnpm bench dump [--lines N] [--rounds N] [--write]
//
// OpenSM's full path dump of N lines (default 1,000,000), every port to every port, the own block last. Ours: read as the daemon does, one way
// through the file that finds the ports, then the block of one port, in a process that does nothing else; lines per second and the peak of its
// resident memory, which fails at 200 MB. Beside it the unmodified ibacm on the simulated fabric: from its start until it takes connections, less the same
// with an empty file. In turns, medians.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { LargeCluster } from "./lib/large-cluster.mjs";
import { describeMachine } from "./lib/machine.mjs";
import { ownPort } from "./lib/own-port.mjs";
import { missingIbacm, startIbacmWith } from "./lib/parties.mjs";
import { median } from "./lib/percentiles.mjs";
import { writeSection } from "./lib/performance-page.mjs";
import { startFabric } from "./lib/simulated-daemon.mjs";
import { table } from "./lib/table.mjs";

const root = join(import.meta.dirname, "..");
const PEAK_LIMIT_MB = 200;
const { values } = parseArgs({
  options: {
    lines: { type: "string", default: "1000000" },
    rounds: { type: "string", default: "7" },
    write: { type: "boolean", default: false },
    measure: { type: "string" },
    guid: { type: "string" },
    lid: { type: "string" },
  },
});

/** In a process of its own, so that the peak is that of reading alone. */
async function measure(path, guid, lid) {
  const { OpensmDump } = createRequire(import.meta.url)(join(root, "packages/core/dist/preload/index.js"));
  const fail = (file, line, message) => {
    throw new Error(`${file}:${line}: ${message}`);
  };
  const cpu = process.cpuUsage();
  const begin = performance.now();
  const dump = await OpensmDump.open(path, fail);
  const indexed = performance.now();
  let routes = 0;
  for await (const some of dump.routes({ guid, lid })) routes += some.length;
  const done = performance.now();
  const { user, system } = process.cpuUsage(cpu);
  const peakMb = process.resourceUsage().maxRSS / 1024;
  const figures = { indexMs: indexed - begin, blockMs: done - indexed, cpuMs: (user + system) / 1000, peakMb };
  return { ports: dump.portCount, routes, ...figures };
}

/** Milliseconds from its start until it takes connections, and of processor time. */
async function timeTheirs(dir, dump) {
  const begin = performance.now();
  const theirs = await startIbacmWith(dir, "H1", ["route_preload opensm_full_v1", `route_data_file ${dump}`]);
  const totalMs = performance.now() - begin;
  const tasks = `/proc/${theirs.pid}/task`;
  const cpuMs = readdirSync(tasks).reduce(
    (sum, task) => sum + Number(readFileSync(join(tasks, task, "schedstat"), "utf8").split(" ")[0]) / 1e6,
    0,
  );
  await theirs.stop();
  return { totalMs, cpuMs };
}

async function compare(dir) {
  const fabric = await startFabric(dir, 2);
  try {
    const own = await ownPort(dir);
    const ports = Math.ceil(Math.sqrt(Number(values.lines)));
    const [path, empty] = [join(dir, "dump"), join(dir, "empty")];
    const lines = new LargeCluster(ports, own).writeDump(path, ports);
    writeFileSync(empty, "");
    const self = [import.meta.filename, "--measure", path, "--guid", String(own.guid), "--lid", String(own.lid)];
    const [ours, theirs] = [[], []];
    const reason = missingIbacm();
    if (reason !== undefined) process.stderr.write(`bench dump: without ibacm: ${reason}\n`);
    for (let round = 0; round < Number(values.rounds); round++) {
      const result = JSON.parse(execFileSync(process.execPath, self, { encoding: "utf8" }));
      if (result.ports !== ports || result.routes !== ports) throw new Error("the dump was not read whole");
      ours.push(result);
      if (reason !== undefined) continue;
      const [loaded, bare] = [await timeTheirs(dir, path), await timeTheirs(dir, empty)];
      theirs.push({ totalMs: loaded.totalMs - bare.totalMs, cpuMs: loaded.cpuMs - bare.cpuMs });
    }
    const of = (figure) => median(ours.map((run) => run[figure]));
    const totalMs = median(ours.map(({ indexMs, blockMs }) => indexMs + blockMs));
    return {
      lines,
      fileMb: statSync(path).size / 1e6,
      ours: { totalMs, cpuMs: of("cpuMs"), indexMs: of("indexMs"), blockMs: of("blockMs"), peakMb: of("peakMb") },
      theirs:
        theirs.length === 0
          ? undefined
          : { totalMs: median(theirs.map(({ totalMs }) => totalMs)), cpuMs: median(theirs.map(({ cpuMs }) => cpuMs)) },
    };
  } finally {
    await fabric.stop();
  }
}

function report(machine, { lines, fileMb, ours, theirs }) {
  const rate = (ms) => Math.round(lines / (ms / 1000)).toLocaleString("en");
  const row = (who, { totalMs, cpuMs, peakMb }) => [
    who,
    ...[rate(totalMs), totalMs.toFixed(1), rate(cpuMs), cpuMs.toFixed(1)],
    peakMb === undefined ? "" : peakMb.toFixed(0),
  ];
  const rows = [row("verbena", ours)];
  if (theirs !== undefined) {
    const [time, cpu] = [theirs.totalMs / ours.totalMs, theirs.cpuMs / ours.cpuMs].map((ratio) => ratio.toFixed(1));
    rows.push(row("ibacm", theirs), ["times as fast", time, "", cpu, "", ""]);
  }
  const head = ["", "lines/s", "ms", "lines/s of processor time", "ms of processor time", "peak memory MB"];
  return `## OpenSM path dump

${lines.toLocaleString("en")} lines, ${fileMb.toFixed(0)} MB, medians of ${values.rounds} rounds (${machine}):

${table(head, rows)}`;
}

if (values.measure !== undefined) {
  console.log(JSON.stringify(await measure(values.measure, BigInt(values.guid), Number(values.lid))));
} else {
  const machine = describeMachine();
  const dir = mkdtempSync(join(tmpdir(), "verbena-bench-"));
  try {
    const result = await compare(dir);
    const page = report(machine, result);
    console.log(page);
    mkdirSync(join(root, "build", "bench"), { recursive: true });
    writeFileSync(join(root, "build", "bench", "dump.json"), `${JSON.stringify(result, null, 2)}\n`);
    if (values.write) writeSection(join(root, "docs", "performance.md"), "dump", page);
    if (result.ours.peakMb >= PEAK_LIMIT_MB) {
      console.error(`peak memory ${Math.round(result.ours.peakMb)} MB, the limit is ${PEAK_LIMIT_MB} MB`);
      process.exitCode = 1;
    }
  } finally {
    rmSync(dir, { recursive: true });
  }
}
