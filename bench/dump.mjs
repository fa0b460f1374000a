// pnpm bench dump [--lines N] [--write]
//
// OpenSM's full path dump of N lines (default 1,000,000), read as the daemon does: one walk that finds the ports, then the block of one
// port. Prints lines per second and the peak of resident memory of a process that does nothing else; fails at 200 MB.
import { execFileSync } from "node:child_process";
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, statSync, writeFileSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { describeMachine } from "./lib/machine.mjs";
import { writeSection } from "./lib/performance-page.mjs";
import { table } from "./lib/table.mjs";

const root = join(import.meta.dirname, "..");
const PEAK_LIMIT_MB = 200;
const { values } = parseArgs({
  options: {
    lines: { type: "string", default: "1000000" },
    write: { type: "boolean", default: false },
    measure: { type: "string" },
  },
});

/** Every port to every port, as OpenSM's dump_pr writes it. Gives the number of lines. */
function writeDump(path, lines) {
  const ports = Math.ceil(Math.sqrt(lines));
  const hex = (value, digits) => `0x${value.toString(16).padStart(digits, "0")}`;
  const file = openSync(path, "w");
  const data = Array.from({ length: ports }, (_, index) => `${hex(index + 1, 4)} : 0  : 4   : 3   \n`).join("");
  for (let port = 1; port <= ports; port++) {
    const header = `Channel Adapter ${hex(0x100000 + port, 16)}, base LID ${port}, "host-${port} HCA-1", port 1\n`;
    writeSync(file, `${header}# LID  : SL : MTU : RATE\n${data}\n`);
  }
  closeSync(file);
  return ports * (ports + 3);
}

/** In a process of its own, so that the peak is that of reading alone. */
async function measure(path) {
  const { OpensmDump } = createRequire(import.meta.url)(join(root, "packages/core/dist/preload/index.js"));
  const fail = (file, line, message) => {
    throw new Error(`${file}:${line}: ${message}`);
  };
  const begin = performance.now();
  const dump = await OpensmDump.open(path, fail);
  const indexed = performance.now();
  let routes = 0;
  for await (const _ of dump.routes({ guid: BigInt(0x100000 + dump.portCount), lid: dump.portCount })) routes++;
  const done = performance.now();
  const peakMb = process.resourceUsage().maxRSS / 1024;
  const { lineCount, portCount } = dump;
  return { lineCount, portCount, routes, indexMs: indexed - begin, blockMs: done - indexed, peakMb };
}

if (values.measure !== undefined) {
  console.log(JSON.stringify(await measure(values.measure)));
} else {
  const folder = mkdtempSync(join(tmpdir(), "verbena-bench-"));
  try {
    const path = join(folder, "opensm-path-records.dump");
    const written = writeDump(path, Number(values.lines));
    const result = JSON.parse(
      execFileSync(process.execPath, [import.meta.filename, "--measure", path], { encoding: "utf8" }),
    );
    if (result.lineCount !== written || result.routes !== result.portCount)
      throw new Error("the dump was not read whole");
    const rows = [
      [
        result.lineCount,
        Math.round(statSync(path).size / 1e6),
        Math.round(result.lineCount / (result.indexMs / 1000)),
        result.blockMs.toFixed(1),
        Math.round(result.peakMb),
      ],
    ];
    const text = table(["lines", "file MB", "lines/s", "block of the last port ms", "peak memory MB"], rows);
    const page = `## OpenSM path dump\n\n${describeMachine()}\n\n${text}`;
    console.log(page);
    mkdirSync(join(root, "build", "bench"), { recursive: true });
    writeFileSync(join(root, "build", "bench", "dump.json"), `${JSON.stringify(result, null, 2)}\n`);
    if (values.write) writeSection(join(root, "docs", "performance.md"), "dump", page);
    if (result.peakMb >= PEAK_LIMIT_MB) {
      console.error(`peak memory ${Math.round(result.peakMb)} MB, the limit is ${PEAK_LIMIT_MB} MB`);
      process.exitCode = 1;
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}
