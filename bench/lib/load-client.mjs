import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const root = join(import.meta.dirname, "../..");
const source = join(root, "bench", "load-client");
const binary = join(root, "build", "bench", "load-client");

/** Compiles the load client if it is missing or older than its sources. */
export function buildLoadClient() {
  const newest = Math.max(...readdirSync(source).map((file) => statSync(join(source, file)).mtimeMs));
  if (existsSync(binary) && statSync(binary).mtimeMs > newest) return;
  mkdirSync(join(root, "build", "bench"), { recursive: true });
  const flags = ["-O2", "-Wall", "-Wextra", "-Wshadow", "-Werror"];
  execFileSync("cc", [...flags, "-o", binary, join(source, "load-client.c")], { stdio: "inherit" });
}

/** Runs it once; gives the object it prints. */
export async function loadClient({ socket, request, connections, seconds, pid }) {
  const numbers = ["--connections", connections, "--seconds", seconds, "--pid", pid].map(String);
  const { stdout } = await promisify(execFile)(binary, ["--socket", socket, "--request", request, ...numbers]);
  return JSON.parse(stdout);
}
