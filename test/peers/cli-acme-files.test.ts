/**
 * The files that `verbena acme -A -O` writes on a simulated node say what Debian's `ib_acme -A -O` says there, line by line apart from
 * comments, and the daemon starts from either set.
 */
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { loadConfig } from "@verbena/core";
import { Cluster } from "../../packages/cli/test/support/cluster.js";
import { programPath, type Run, run } from "../../packages/cli/test/support/run.js";
import { find, missing } from "./sim-programs.js";

const TIMEOUT_MS = 60_000;
const reason = missing("ib_acme");
const suite = reason === undefined ? describe : describe.skip;

const active = (file: string): readonly string[] =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.startsWith("#"));

suite(`files of ib_acme and of verbena acme${reason === undefined ? "" : `: ${reason}`}`, () => {
  const runs: Run[] = [];
  let cluster: Cluster;
  const folder = (who: string): string => cluster.path(who);

  beforeAll(async () => {
    cluster = await Cluster.start({ hosts: 4 });
    symlinkSync(programPath(), cluster.path("ib_acme"));
    const programs = {
      debian: [find("ib_acme") ?? ""],
      verbena: [process.execPath, programPath(), "acme"],
      face: [cluster.path("ib_acme")],
    };
    for (const [who, program] of Object.entries(programs)) {
      mkdirSync(folder(who));
      const words = ["-A", "-O", "-D", folder(who)];
      // H1,H3: a process with two HCAs.
      const node = ["sim", "exec", "--dir", cluster.fabric, "--node", "H1,H3", "--"];
      runs.push(await run([...node, ...program, ...words]));
    }
  }, TIMEOUT_MS);
  afterAll(() => cluster[Symbol.asyncDispose](), TIMEOUT_MS);

  it("all end well and say nothing", () => {
    expect(runs).toEqual(Array.from({ length: 3 }, () => ({ status: 0, out: "", err: "" })));
  });

  it.each(["ibacm_addr.cfg", "ibacm_opts.cfg"])("%s has the same active lines", (file) => {
    const debian = active(join(folder("debian"), file));
    expect(debian.length).toBeGreaterThan(2);
    expect(active(join(folder("verbena"), file))).toEqual(debian);
    expect(active(join(folder("face"), file))).toEqual(debian);
  });

  it("means the same to the daemon", async () => {
    const load = async (who: string) => {
      const { config, diagnostics } = await loadConfig({
        options: join(folder(who), "ibacm_opts.cfg"),
        addresses: join(folder(who), "ibacm_addr.cfg"),
      });
      const addresses = config.addresses.lines.map(({ text, device, port }) => `${text} ${device} ${port}`);
      return { config: { ...config, addresses }, diagnostics };
    };
    const debian = await load("debian");
    expect(debian.diagnostics).toEqual([]);
    expect(await load("verbena")).toEqual(debian);
  });

  it.each(["debian", "verbena"])(
    "the daemon starts from the set of %s",
    async (who) => {
      const config = cluster.write(
        `${who}.yaml`,
        `daemon: { logFile: stderr, lockFile: ${who}.pid }\nfiles: { options: ${who}/ibacm_opts.cfg }\n`,
      );
      await using daemon = await cluster.serve("H1", ["--config", config, "-A", join(folder(who), "ibacm_addr.cfg")]);
      const { endpoints } = await daemon.control.endpoints();
      const names = active(join(folder("debian"), "ibacm_addr.cfg"))
        .filter((line) => line.includes(" sim0 "))
        .map((line) => line.split(/\s+/)[0]);
      expect(endpoints.map(({ addresses }) => addresses)).toEqual([names]);
    },
    TIMEOUT_MS,
  );
});
