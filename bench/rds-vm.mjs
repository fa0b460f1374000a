// pnpm bench rds-vm [--quick] [--write]
//
// `verbena rds stress` in the virtual machine, over one wire between two network namespaces: sockets of the kernel's rds_tcp on both sides, ours over
// TCP on both, and ours with the kernel's. Everything is emulated, and so are the processors, which is hard on compiled JavaScript: only the ratios
// mean something, and only for a machine like that. Without the machine's programs it says how to get them, and does nothing.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { rungs } from "../scripts/lib/rungs.mjs";
import { describeMachine } from "./lib/machine.mjs";
import { writeSection } from "./lib/performance-page.mjs";
import { table } from "./lib/table.mjs";

const root = join(import.meta.dirname, "..");
const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    // What the program starts itself with, in the machine.
    guest: { type: "boolean", default: false },
  },
});
const SIZES = [
  { name: "64 B", bytes: 64, depth: 32 },
  { name: "1 KiB", bytes: 1024, depth: 32 },
  { name: "8 KiB", bytes: 8192, depth: 16 },
  { name: "64 KiB", bytes: 65_536, depth: 4 },
].slice(0, values.quick ? 1 : undefined);
const SECONDS = values.quick ? 1 : 3;
const KERNEL = ["--transport", "kernel"];
/** A port that the kernel does not have, for ours with ours; with the kernel it must be the kernel's. */
const OURS = ["--transport", "tcp", "--tcp-port", "26385"];
const OURS_WITH_KERNEL = ["--transport", "tcp"];
const MARK = "result ";

/** One side in a namespace; resolves with what it wrote. */
function side(namespace, words) {
  const program = join(root, "packages/cli/bin/verbena.js");
  const args = [
    "netns",
    "exec",
    namespace,
    process.execPath,
    program,
    "rds",
    "stress",
    "--json",
    "--warm-up",
    "2s",
    ...words,
  ];
  const child = spawn("ip", args, { stdio: ["ignore", "pipe", "inherit"] });
  let out = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    out += text;
  });
  return once(child, "close").then(([status]) => {
    if (status !== 0) throw new Error(`rds stress in ${namespace} ended with ${status}`);
    return JSON.parse(out.trim().split("\n").at(-1));
  });
}

/** A runs the active side. */
async function measure({ bytes, depth }, active, passive) {
  const receiving = side("B", [...passive, "-r", "10.0.0.2"]);
  const words = [
    "-r",
    "10.0.0.1",
    "-s",
    "10.0.0.2",
    "-o",
    "-q",
    String(bytes),
    "-d",
    String(depth),
    "-T",
    String(SECONDS),
  ];
  const [summary] = await Promise.all([side("A", [...active, ...words, "--connect-retries", "60"]), receiving]);
  return { rate: summary.requestsSentPerSecond, rttUs: summary.meanRttUs };
}

async function guest() {
  for (const limit of ["wmem_max", "rmem_max"]) spawnSync("sysctl", ["-q", "-w", `net.core.${limit}=8388608`]);
  const results = [];
  for (const size of SIZES) {
    const [kernel, ours] = [await measure(size, KERNEL, KERNEL), await measure(size, OURS, OURS)];
    results.push({ name: size.name, kernel, ours });
  }
  // From here on A has no RDS of the kernel's.
  spawnSync("ss", ["-N", "A", "-K", "-tln", "sport = 16385"]);
  for (const [at, size] of SIZES.entries()) results[at].mixed = await measure(size, OURS_WITH_KERNEL, KERNEL);
  console.log(MARK + JSON.stringify(results));
}

async function host() {
  const missing = rungs.find(({ name }) => name === "vm")?.missing();
  if (missing) {
    console.log(`bench rds-vm: not run: ${missing.reason}; enable with ${missing.enable}`);
    return;
  }
  const machine = describeMachine();
  const vm = join(root, "scripts/lib/vm/main.mjs");
  const args = [vm, "--hosts", "2", "--timeout", "900", "--", process.execPath, import.meta.filename, "--guest"];
  if (values.quick) args.push("--quick");
  const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  let out = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    out += text;
  });
  const [status] = await once(child, "close");
  const line = out.split("\n").find((text) => text.startsWith(MARK));
  if (status !== 0 || line === undefined) throw new Error(`the machine ended with ${status}: ${out}`);
  const rate = ({ rate }) => Math.round(rate).toLocaleString("en");
  const rows = JSON.parse(line.slice(MARK.length)).map(({ name, kernel, ours, mixed }) => [
    ...[name, rate(kernel), rate(ours), (ours.rate / kernel.rate).toFixed(2)],
    ...[rate(mixed), (mixed.rate / kernel.rate).toFixed(2), Math.round(kernel.rttUs), Math.round(ours.rttUs)],
  ]);
  const columns = ["request", "kernel, requests/s", "ours", "of kernel", "ours to kernel", "of kernel"];
  const text = `${machine}; in it an emulated machine of two processors\n\n${table([...columns, "rtt µs, kernel", "ours"], rows)}`;
  console.log(text);
  if (values.write) writeSection(join(root, "docs/performance.md"), "rds-vm", text);
}

await (values.guest ? guest() : host());
