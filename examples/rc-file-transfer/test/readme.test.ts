// Runs the commands of README.md, in order, as they stand there but for the paths in /tmp.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

jest.setTimeout(120_000);

const root = join(__dirname, "../../..");
const folder = mkdtempSync(join(tmpdir(), "verbena-transfer-readme-"));
const background: ChildProcess[] = [];
afterAll(async () => {
  for (const child of background.reverse()) {
    const gone = once(child, "exit");
    if (child.exitCode === null && child.kill("SIGTERM")) await gone;
  }
  rmSync(folder, { recursive: true, force: true });
});

const readme = readFileSync(join(__dirname, "../README.md"), "utf8").replaceAll("/tmp/transfer", folder);
const commands = [...readme.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block]) => (block ?? "").trim().split("\n"));

/** Starts a command that stays, and waits until it says `word`. */
async function start(command: string, word: string): Promise<void> {
  const child = spawn("bash", ["-c", `exec ${command}`], { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  background.push(child);
  for await (const line of createInterface(child.stdout)) if (line.startsWith(word)) return;
  throw new Error(`${command}: ended`);
}

test("the README's commands send a file", async () => {
  const words = ["ready", "waiting"];
  const outputs: string[] = [];
  for (const command of commands) {
    if (command.endsWith(" &")) await start(command.slice(0, -2), words.shift() ?? "");
    else outputs.push((await promisify(execFile)("bash", ["-c", command], { cwd: root })).stdout);
  }
  expect(words).toEqual([]);
  // mkdir and cmp say nothing.
  expect(outputs).toEqual(["", expect.stringMatching(/^\d+ bytes in [\d.]+ seconds = /), ""]);
});
