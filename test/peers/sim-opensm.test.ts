/** The same net in ibsim under a real OpenSM and in our fabric: saquery must print the same. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningFabric, startFabric } from "@verbena/fabric-sim";
import { find, missing, run, runOnNode } from "./sim-programs.js";

/** The folder below /usr/lib is named for the machine's architecture. */
const UMAD2SIM =
  readdirSync("/usr/lib")
    .map((folder) => join("/usr/lib", folder, "umad2sim/libumad2sim.so"))
    .find((path) => existsSync(path)) ?? "";
const NET = join(__dirname, "../../packages/fabric-sim/test/vectors/opensm-answers.net");
const reason = missing("ibsim", "opensm", "saquery");
const suite = reason === undefined ? describe : describe.skip;

jest.setTimeout(120_000);

/** Resolves once a program's output has that text. */
function output(child: ChildProcess, text: string): Promise<void> {
  return new Promise((settle, reject) => {
    let seen = "";
    const take = (chunk: Buffer) => {
      seen += chunk.toString("utf8");
      if (seen.includes(text)) settle();
    };
    child.stdout?.on("data", take);
    child.stderr?.on("data", take);
    child.once("exit", (code) => {
      reject(new Error(`ended with ${String(code)} before "${text}": ${seen}`));
    });
  });
}

suite(`our SA beside OpenSM${reason === undefined ? "" : `: ${reason}`}`, () => {
  const dir = mkdtempSync(join(tmpdir(), "sim-"));
  const socket = `verbena-${process.pid}`;
  const children: ChildProcess[] = [];
  let fabric: RunningFabric;

  const theirEnv = (host: string) => ({ IBSIM_SOCKNAME: socket, SIM_HOST: host, LD_PRELOAD: UMAD2SIM });

  /** Starts a program and waits until it has printed that it is ready. */
  const startUntil = async (ready: string, program: string, args: readonly string[], env: NodeJS.ProcessEnv) => {
    const child = spawn(find(program) ?? program, args, { cwd: dir, env: { ...process.env, ...env }, stdio: "pipe" });
    children.unshift(child);
    await output(child, ready);
  };

  beforeAll(async () => {
    fabric = await startFabric({ topology: readFileSync(NET, "utf8"), dir: join(dir, "fabric") });
    await startUntil("simulator ready", "ibsim", ["-s", NET], { IBSIM_SOCKNAME: socket });
    const folders = { OSM_TMP_DIR: dir, OSM_CACHE_DIR: dir };
    await startUntil("SUBNET UP", "opensm", ["-f", "-"], { ...theirEnv("Hca1"), ...folders });
  });

  afterAll(async () => {
    await fabric.close();
    for (const child of children) {
      if (child.exitCode !== null) continue;
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    }
    rmSync(dir, { recursive: true });
  });

  const both = async (...args: readonly string[]) => {
    const ours = await runOnNode(fabric.dir, "Hca2", "saquery", ...args);
    const theirs = await run("saquery", args, theirEnv("Hca2"));
    return { ours: [ours.status, ours.stdout], theirs: [theirs.status, theirs.stdout] };
  };

  it("gives every host pair the same path", async () => {
    for (const slid of ["1", "4", "5", "6"]) {
      for (const dlid of ["1", "4", "5", "6"]) {
        const { ours, theirs } = await both("PR", "--slid", slid, "--dlid", dlid);
        expect([slid, dlid, ours]).toEqual([slid, dlid, theirs]);
        expect(ours[1]).toContain("PathRecord dump");
      }
    }
  });

  it.each([
    ["a node by LID", ["NR", "4"]],
    ["a switch by LID", ["NR", "2"]],
    ["the broadcast group", ["MCMR"]],
    ["all links", ["LR"]],
    ["a path that is not there", ["PR", "--slid", "1", "--dlid", "99"]],
  ])("prints the same for %s", async (_name, args) => {
    const { ours, theirs } = await both(...args);
    expect(ours).toEqual(theirs);
  });
});
