// Runs the examples of README.md, in order, as they stand there but for the paths in /tmp.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

const root = resolve(__dirname, "../..");
const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "verbena-readme-"));
const program = join(root, "build", `readme-${String(process.pid)}.mjs`);
const background: ChildProcess[] = [];

const examples = readFileSync(join(root, "README.md"), "utf8")
  .split(/^## /m)
  .find((section) => section.startsWith("Three examples"));
const blocks = (language: string): readonly string[] =>
  [...(examples ?? "").matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms"))].map(([, text]) =>
    (text ?? "").replaceAll("/tmp/", `${folder}/`),
  );

/** Starts a command that stays, and waits for its word `ready`. */
async function start(command: string): Promise<void> {
  const child = spawn("bash", ["-c", `exec ${command}`], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  background.push(child);
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => {
    errors += chunk.toString();
  });
  for await (const line of createInterface(child.stdout)) if (line.startsWith("ready")) return;
  throw new Error(`${command}\n${errors}`);
}

/** Runs the commands of a block; returns what those in the foreground printed. */
async function play(block: string | undefined): Promise<readonly string[]> {
  const outputs: string[] = [];
  for (const command of (block ?? "").trim().split("\n")) {
    if (command.endsWith(" &")) await start(command.slice(0, -2));
    else outputs.push((await run("bash", ["-c", command], { cwd: root })).stdout);
  }
  return outputs;
}

afterAll(async () => {
  for (const child of background.reverse()) {
    const gone = new Promise((done) => child.once("exit", done));
    if (child.exitCode === null && child.kill("SIGTERM")) await gone;
  }
  rmSync(folder, { recursive: true, force: true });
  rmSync(program, { force: true });
}, 60_000);

describe("README", () => {
  it("has three examples", () => {
    expect([blocks("sh").length, blocks("ts").length]).toEqual([4, 1]);
  });

  it("runs a fabric and saquery on it", async () => {
    await play(blocks("sh")[0]);
    const [nodes] = await play(blocks("sh")[1]);
    expect(nodes?.match(/NodeDescription\.+(.*)/g)).toHaveLength(11);
    expect(nodes).toContain("node8 HCA-1");
  }, 120_000);

  it("runs a daemon, verbena and ib_acme", async () => {
    await play(blocks("sh")[2]);
    const [table, acme] = await play(blocks("sh")[3]);
    expect(table).toMatch(/fe80::2:c903:10:11 +4 +fe80::2:c903:10:1 +1 /);
    expect(acme).toContain("dgid: fe80::2:c903:10:11\n");
    expect(acme).toContain("SA verification: success\n");
  }, 120_000);

  it("runs a program with the engine inside", async () => {
    writeFileSync(program, blocks("ts")[0] ?? "");
    const { stdout } = await run(process.execPath, [program], { cwd: root });
    expect(stdout).toBe("GID fe80::2:c903:10:11, LID 4\n");
  }, 120_000);
});
