import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { evaluate, run } from "./evaluate.js";
import { root } from "./workspace.js";

describe("rungs", () => {
  it("are the four of the architecture, in order", () => {
    expect(evaluate("rungs.mjs", "m.rungs.map((rung) => rung.name)")).toEqual(["pure", "simulated", "peers", "vm"]);
  });

  it("say what is missing and the command that gets it", () => {
    expect(evaluate("rungs.mjs", 'm.lacking(["sh", "no-such-program", "neither-this"], "--peers")')).toEqual({
      reason: "not installed: no-such-program, neither-this",
      enable: "scripts/bootstrap --peers",
    });
    expect(evaluate("rungs.mjs", 'm.lacking(["sh"], "--peers")')).toBeNull();
  });

  it("cover every test file of the repository, each once; on a real device also those that take any", () => {
    const rungs = evaluate("rungs.mjs", "m.rungs.map((rung) => rung.suites())") as readonly (readonly string[])[];
    const suites = rungs.flat();
    const tracked = run("git", ["ls-files", "*.test.ts"]).stdout.trim().split("\n");
    expect(tracked.filter((path) => existsSync(join(root, path)) && !suites.includes(path))).toEqual([]);
    const twice = suites.filter((path, i) => suites.indexOf(path) !== i);
    const takesAnyDevice = (path: string) =>
      ["await Rig.start()", "await startHosts()"].some((factory) =>
        readFileSync(join(root, path), "utf8").includes(factory),
      );
    const candidates = tracked.filter((path) => /^(packages\/native\/test|test\/peers)\//.test(path));
    expect(twice.sort()).toEqual(candidates.filter(takesAnyDevice));
  });

  it("that lack something fail instead of being left out with VERBENA_REQUIRE_RUNGS=1", () => {
    const cache = mkdtempSync(join(tmpdir(), "verbena-no-kernel-"));
    const test = (strict: string) => {
      const args = ["scripts/lib/test.mjs", "--rung", "vm", "--results", relative(root, cache)];
      const env = { VERBENA_VM_CACHE: cache, PATH: dirname(process.execPath), VERBENA_REQUIRE_RUNGS: strict };
      const { stdout } = run(process.execPath, args, env);
      const [{ state }] = JSON.parse(readFileSync(join(cache, "summary.json"), "utf8")) as [{ state: string }];
      return [state, stdout];
    };
    try {
      expect(test("0")).toEqual([
        "skipped",
        expect.stringMatching(/SKIPPED: .*; enable with scripts.bootstrap --vm\n/),
      ]);
      expect(test("1")).toEqual(["failed", expect.stringMatching(/\(VERBENA_REQUIRE_RUNGS=1\)\n/)]);
    } finally {
      rmSync(cache, { recursive: true });
    }
  });

  it("are refused by a wrong name", () => {
    const { status, stderr } = run(process.execPath, ["scripts/lib/test.mjs", "--rung", "hardware"]);
    expect([status, stderr]).toEqual([2, "test: --rung takes one of pure, simulated, peers, vm\n"]);
  });
});

describe("bootstrap", () => {
  it("refuses an unknown option", () => {
    const { status, stderr } = run(process.execPath, ["scripts/lib/bootstrap.mjs", "--peer"]);
    expect(status).toBe(2);
    expect(stderr).toMatch(/^bootstrap: unknown option --peer\nusage: /);
  });

  it("prints one command for the missing packages", () => {
    expect(evaluate("debian.mjs", 'm.aptCommand(["ibacm", "opensm"])')).toMatch(
      /^(sudo )?apt-get update && (sudo )?apt-get install -y --no-install-recommends ibacm opensm$/,
    );
  });

  it("rebuilds only when a source changed", () => {
    const hash = (salt: string) =>
      evaluate("stamp.mjs", `m.hashOf([${JSON.stringify(join(root, "scripts"))}], [${JSON.stringify(salt)}])`);
    expect(hash("a")).toBe(hash("a"));
    expect(hash("a")).not.toBe(hash("b"));
  });
});

describe("scripts", () => {
  it("that are meant to be run can be run", () => {
    const programs = [
      ...readdirSync(join(root, "scripts"))
        .filter((name) => name !== "lib")
        .map((name) => `scripts/${name}`),
      ".ci/run",
    ];
    expect(programs.filter((path) => (statSync(join(root, path)).mode & 0o111) === 0)).toEqual([]);
  });
});
