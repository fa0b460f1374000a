/** What a start loads: counted, since how long it takes is the machine's business. `pnpm bench startup` has the times. */
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "../src/package-folder.js";
import { ReadyChild } from "../src/process/child.js";
import { Cluster } from "./support/cluster.js";
import { programPath } from "./support/run.js";

const TIMEOUT_MS = 60_000;
const ROOT = join(__dirname, "..", "..", "..");
const DIST = join(packageFolder(), "dist");

/** Libraries that no command which only asks may wait for. */
const HEAVY = /\/node_modules\/(?:pino|yaml|valibot|tsyringe|reflect-metadata|semver|lru-cache)\//;

/** Tells at the process's end which files and which modules of Node it has loaded. */
const HOOK = `
process.once("exit", () => {
  const files = Object.keys(require.cache).filter((file) => file !== __filename);
  require("node:fs").writeFileSync(process.env.LOADED, JSON.stringify({ files, node: process.moduleLoadList }));
});`;

interface Loaded {
  readonly files: readonly string[];
  readonly node: readonly string[];
}

describe("a start loads", () => {
  let cluster: Cluster;
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    execFileSync(process.execPath, [join(ROOT, "scripts/lib/bundle.mjs")]);
    cluster = await Cluster.start({ hosts: 2 });
    env = { NODE_OPTIONS: `--require ${cluster.write("hook.cjs", HOOK)}`, LOADED: cluster.path("loaded.json") };
  }, TIMEOUT_MS);
  afterAll(() => cluster[Symbol.asyncDispose](), TIMEOUT_MS);

  function loaded(): Loaded {
    return JSON.parse(readFileSync(cluster.path("loaded.json"), "utf8")) as Loaded;
  }

  /** Asks a daemon that is not there. */
  function resolve(program: string): Loaded {
    const words = ["resolve", "node2", "--socket", cluster.path("nobody.sock")];
    const { stderr } = spawnSync(process.execPath, [program, ...words], {
      env: { ...process.env, ...env },
      encoding: "utf8",
    });
    expect(stderr).toContain("VERBENA_CLI_NO_DAEMON");
    return loaded();
  }

  it("two files for `resolve`, and no more of Node than it takes to ask", () => {
    const { files, node } = resolve(programPath());
    expect(files.map((file) => file.slice(packageFolder().length))).toEqual(["/bin/verbena.js", "/bin/bundle.js"]);
    for (const name of ["child_process", "crypto", "worker_threads"])
      expect(node).not.toContain(`NativeModule ${name}`);
  });

  it(
    "the same two and the addon for `serve`",
    async () => {
      const words = ["serve", "--fabric", cluster.fabric, "--node", "H1", "--socket", cluster.path("h1.sock")];
      const daemon = await ReadyChild.start(words, { env });
      await daemon.stop();
      const { files, node } = loaded();
      expect(files.map((file) => file.replace(/.*\//, ""))).toEqual(["verbena.js", "bundle.js", "verbena_native.node"]);
      expect(node).not.toContain("NativeModule crypto");
    },
    TIMEOUT_MS,
  );

  it("few files and no heavy library for `resolve` without the bundle", () => {
    const { files } = resolve(join(DIST, "main.js"));
    expect(files.filter((file) => HEAVY.test(file))).toEqual([]);
    expect(files.length).toBeLessThanOrEqual(140);
  });

  it("nothing heavy from the bundle of `resolve`, no simulator from that of `serve`", () => {
    const parts = (name: string): readonly string[] =>
      readFileSync(join(DIST, name), "latin1").match(/^ *\/\/ (?:\S+\/)?(?:node_modules|packages)\/\S+$/gm) ?? [];
    expect(parts("verbena.bundle.js").filter((part) => HEAVY.test(part))).toEqual([]);
    const simulator = parts("serve.bundle.js").filter((part) => part.includes("packages/fabric-sim/"));
    expect(simulator.length).toBeGreaterThan(0);
    expect(simulator.filter((part) => /\/(?:fabric|sm|sa|sma|topology|attach)\//.test(part))).toEqual([]);
  });
});
