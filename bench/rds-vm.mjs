// pnpm bench rds-vm [--quick] [--write]
//
// `verbena rds stress` in the virtual machine, over one wire between two network namespaces: sockets of the kernel's rds_tcp on both sides, ours over
// TCP on both, and ours with the kernel's. Everything is emulated, and so are the processors, which is hard on compiled JavaScript: only the ratios
// mean something, and only for a machine like that. Without the machine's programs it says how to get them, and does nothing.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { rungs } from "../scripts/lib/rungs.mjs";
import { describeMachine } from "./lib/machine.mjs";
import { writeSection } from "./lib/performance-page.mjs";
import { table } from "./lib/table.mjs";

const root = join(import.meta.dirname, "..");
const { values } = parseArgs({
  options: { quick: { type: "boolean", default: false }, write: { type: "boolean", default: false } },
});
const MARK = "result ";

/** The program in one file: the machine reads its files over an emulated wire, and Node asks for hundreds. */
async function bundleProgram() {
  const folder = join(root, "build/rds-vm");
  mkdirSync(join(folder, "dist"), { recursive: true });
  copyFileSync(join(root, "packages/cli/package.json"), join(folder, "package.json"));
  const outfile = join(folder, "dist/verbena.cjs");
  const entryPoints = [join(root, "packages/cli/dist/main.js")];
  await build({ entryPoints, outfile, bundle: true, platform: "node", target: "node20", logLevel: "error" });
  return outfile;
}

const missing = rungs.find(({ name }) => name === "vm")?.missing();
if (missing) {
  console.log(`bench rds-vm: not run: ${missing.reason}; enable with ${missing.enable}`);
  process.exit(0);
}
const machine = describeMachine();
const vm = join(root, "scripts/lib/vm/main.mjs");
const guest = join(root, "bench/lib/rds-vm-guest.mjs");
const args = [
  vm,
  "--hosts",
  "2",
  "--timeout",
  "900",
  "--env",
  "VERBENA_NATIVE_DIR",
  "--",
  process.execPath,
  guest,
  await bundleProgram(),
];
if (values.quick) args.push("--quick");
const env = { ...process.env, VERBENA_NATIVE_DIR: join(root, "packages/native/build/Release") };
const child = spawn(process.execPath, args, { cwd: root, env, stdio: ["ignore", "pipe", "inherit"] });
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
