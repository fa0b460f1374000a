// Runs the examples of README.md, in order, as they stand there but for the paths in /tmp.
import { execFile } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { DocumentedCommands } from "./documented-commands.js";

const root = resolve(__dirname, "../..");
const program = join(root, "build", `readme-${String(process.pid)}.mjs`);
const readme = new DocumentedCommands("README.md", "Three examples");
const [fabric, saquery, daemon, resolving] = readme.blocks("sh");

afterAll(async () => {
  await readme.close();
  rmSync(program, { force: true });
}, 60_000);

describe("README", () => {
  it("has three examples", () => {
    expect([readme.blocks("sh").length, readme.blocks("ts").length]).toEqual([4, 1]);
  });

  it("runs a fabric and saquery on it", async () => {
    await readme.play(fabric);
    const nodes = await readme.play(saquery);
    expect(nodes.match(/NodeDescription\.+(.*)/g)).toHaveLength(11);
    expect(nodes).toContain("node8 HCA-1");
  }, 120_000);

  it("runs a daemon, verbena and ib_acme", async () => {
    await readme.play(daemon);
    const answers = await readme.play(resolving);
    expect(answers).toMatch(/fe80::2:c903:10:11 +4 +fe80::2:c903:10:1 +1 /);
    expect(answers).toContain("dgid: fe80::2:c903:10:11\n");
    expect(answers).toContain("SA verification: success\n");
  }, 120_000);

  it("runs a program with the engine inside", async () => {
    writeFileSync(program, readme.blocks("ts")[0] ?? "");
    const { stdout } = await promisify(execFile)(process.execPath, [program], { cwd: root });
    expect(stdout).toBe("GID fe80::2:c903:10:11, LID 4\n");
  }, 120_000);
});
