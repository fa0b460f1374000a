import { execFile, execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { promisify } from "node:util";

const root = join(import.meta.dirname, "../..");
const source = join(root, "bench", "load-client");
const folder = join(root, "build", "bench");
const binary = join(folder, "load-client");
/** The server that only answers. */
export const answerOnly = join(folder, "answer-only");
/** The same on an io_uring; see {@link buildAnswerRing}. */
export const answerRing = join(folder, "answer-ring");
/** The clients that make trouble. */
export const disturb = join(folder, "disturb");
const programs = [binary, answerOnly, disturb];

/** Compiles the programs of bench/load-client if one is missing or older than the sources. */
export function buildLoadClient() {
  const newest = Math.max(...readdirSync(source).map((file) => statSync(join(source, file)).mtimeMs));
  if (programs.every((file) => existsSync(file) && statSync(file).mtimeMs > newest)) return;
  mkdirSync(folder, { recursive: true });
  for (const program of programs) compile(program);
}

/** Compiles the server that only answers on an io_uring. Gives why it cannot be, or `undefined`. */
export function buildAnswerRing() {
  if (!existsSync("/usr/include/liburing.h")) return "liburing is not installed (liburing-dev)";
  compile(answerRing, "-luring");
  // It ends at once where the system refuses it a ring.
  const { status, stderr } = spawnSync(answerRing, ["--try"], { encoding: "utf8" });
  return status === 0 ? undefined : stderr.trim();
}

function compile(program, ...libraries) {
  const flags = ["-O2", "-Wall", "-Wextra", "-Wshadow", "-Werror"];
  execFileSync("cc", [...flags, "-o", program, join(source, `${basename(program)}.c`), ...libraries], {
    stdio: "inherit",
  });
}

/** Runs it once; gives the object it prints. */
export async function loadClient({ socket, request, connections, seconds, pid, cpu = -1, idle = 0, everyUs = 0 }) {
  const options = { connections, seconds, pid, cpu, idle, "every-us": everyUs };
  const numbers = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const { stdout } = await promisify(execFile)(binary, ["--socket", socket, "--request", request, ...numbers]);
  return JSON.parse(stdout);
}
