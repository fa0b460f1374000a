/**
 * `@verbena/native` on ibsim with a real OpenSM: the real libibumad under ibsim's preload library, whose descriptors are pretend ones that
 * epoll refuses. What our program learns is compared with what `saquery` prints.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { IbsimReport } from "./ibsim-client.js";
import { find, records, run } from "./sim-programs.js";

const PRELOAD = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"]
  .map((folder) => join(folder, "umad2sim/libumad2sim.so"))
  .find((path) => existsSync(path));
const absent = ["ibsim", "opensm", "saquery"].filter((program) => find(program) === undefined);
const reason = PRELOAD === undefined ? [...absent, "libumad2sim.so"].join(", ") : absent.join(", ");
const title = `native on ibsim${reason === "" ? "" : ` (skipped: not installed: ${reason}; scripts/bootstrap --peers)`}`;

jest.setTimeout(120_000);

const NET = `Switch 8 "S1"
[1] "H1"[1]
[2] "H2"[1]
[3] "S2"[1]

Switch 8 "S2"
[1] "S1"[3]
[2] "H3"[1]

Hca 1 "H1"
[1] "S1"[1]

Hca 1 "H2"
[1] "S1"[2]

Hca 1 "H3"
[1] "S2"[2]
`;

(reason === "" ? describe : describe.skip)(title, () => {
  const dir = mkdtempSync(join(tmpdir(), "verbena-ibsim-"));
  const env = { IBSIM_SOCKNAME: `verbena-${process.pid}`, LD_PRELOAD: PRELOAD ?? "" };
  const started: ChildProcess[] = [];

  beforeAll(async () => {
    writeFileSync(join(dir, "net"), NET);
    // Unbuffered, or its prompt, which says that it is ready, would stay in its buffer.
    const ibsim = spawn("stdbuf", ["-o0", "ibsim", "-s", join(dir, "net")], {
      env: { ...process.env, IBSIM_SOCKNAME: env.IBSIM_SOCKNAME },
      stdio: ["pipe", "pipe", "ignore"],
    });
    started.push(ibsim);
    await printed(ibsim, "sim>");
    const log = join(dir, "opensm.log");
    // -d2: every line is written at once.
    const up = contains(log, "SUBNET UP");
    const opensm = spawn(find("opensm") ?? "opensm", ["-d2", "-f", log], {
      env: { ...process.env, ...env, SIM_HOST: "H1" },
      stdio: "ignore",
    });
    started.push(opensm);
    await up;
  });

  afterAll(async () => {
    for (const child of started.reverse()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = once(child, "exit");
      child.kill();
      await ended;
    }
    rmSync(dir, { recursive: true, force: true });
  });

  /** Our program on a node of the simulator. */
  async function report(node: string, ...lids: readonly number[]): Promise<IbsimReport> {
    const root = join(__dirname, "../..");
    const args = ["--conditions=@verbena/source", "--require", join(root, "scripts/lib/typescript-hook.cjs")];
    const program = join(__dirname, "ibsim-client.ts");
    const done = await run(process.execPath, [...args, program, ...lids.map(String)], { ...env, SIM_HOST: node });
    expect({ status: done.status, stderr: done.stderr }).toEqual({ status: 0, stderr: "" });
    return JSON.parse(done.stdout) as IbsimReport;
  }

  const saquery = async (node: string, ...args: readonly string[]) => {
    const done = await run("saquery", args, { ...env, SIM_HOST: node });
    expect(done.status).toBe(0);
    return records(done.stdout);
  };

  test("the port is found through libibumad alone", async () => {
    const { info, devices } = await report("H2");
    expect(info).toMatchObject({ device: "ibsim0", port: 1, state: "active" });
    expect(info.lid).toBeGreaterThan(0);
    expect(info.smLid).toBeGreaterThan(0);
    expect(devices).toEqual([]);
  });

  test("the SA's answers are those that saquery prints", async () => {
    const { info, node } = await report("H2");
    expect(node.lid).toBe(info.lid);
    expect(node.nodeDescription).toBe("H2");
    // Host after host: the simulator cuts tables to their first segment.
    const lids = [(await report("H1")).info.lid, info.lid, (await report("H3")).info.lid];
    expect(new Set(lids).size).toBe(3);
    const { paths } = await report("H2", ...lids);
    for (const [i, dlid] of lids.entries()) {
      const [expected] = await saquery("H2", "--src-to-dst", `${info.lid}:${dlid}`);
      const path = paths[i] as unknown as Record<string, unknown>;
      expect(path).toMatchObject({ madStatus: 0, dlid, slid: info.lid });
      expect(String(path["pkey"])).toBe(String(Number(expected?.["pkey"])));
      expect(String(path["mtu"])).toBe(String(Number(expected?.["mtu"]) & 0x3f));
      expect(String(path["rate"])).toBe(String(Number(expected?.["rate"]) & 0x3f));
    }
  });
});

/** Waits until a program has printed a text. */
function printed(child: ChildProcess, text: string): Promise<void> {
  let seen = "";
  return new Promise((resolve, reject) => {
    child.stdout?.on("data", (chunk: Buffer) => {
      seen += chunk.toString();
      if (seen.includes(text)) resolve();
    });
    child.once("exit", () => reject(new Error(`ended before it printed ${text}: ${seen}`)));
  });
}

/** Waits until a file, which may be made anew, contains a text. */
function contains(path: string, text: string): Promise<void> {
  return new Promise((resolve) => {
    const watcher = watch(dirname(path), () => {
      if (!existsSync(path) || !readFileSync(path, "utf8").includes(text)) return;
      watcher.close();
      resolve();
    });
  });
}
