/** `sim run`, `sim exec` and `sim ctl` as processes, the way people and scripts use them. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ReadyChild } from "../src/process/child.js";
import { ask, run } from "./support/run.js";

const TIMEOUT_MS = 60_000;

describe("sim", () => {
  const dir = mkdtempSync(join(tmpdir(), "cli-"));
  const fabric = join(dir, "fabric");
  let child: ReadyChild;
  const lines: string[] = [];

  beforeAll(async () => {
    const topology = await ask(["sim", "topology", "two-level", "--hosts", "8"]);
    writeTo("cluster.net", topology.out);
    writeTo("addresses", "H1 192.0.2.1/24\n");
    child = await ReadyChild.start(["sim", "run", "cluster.net", "--dir", "fabric", "--addresses", "addresses"], {
      cwd: dir,
      onLine: (line) => lines.push(line),
    });
  }, TIMEOUT_MS);
  afterAll(async () => {
    await child.stop();
    rmSync(dir, { recursive: true });
  }, TIMEOUT_MS);

  function writeTo(name: string, text: string): void {
    writeFileSync(join(dir, name), text);
  }

  const ctl = (...words: readonly string[]) => ask(["sim", "ctl", "--dir", fabric, ...words]);
  const exec = (...words: readonly string[]) => run(["sim", "exec", "--dir", fabric, "--node", "H2", "--", ...words]);

  it("says ready on a line by itself", () => {
    expect(lines).toEqual(["ready"]);
  });

  it("shows ports, peers and LIDs", async () => {
    const { out } = await ctl("status");
    expect(out).toContain("8 hosts, 3 switches, 10 links (0 down)");
    expect(out).toMatch(/^H1\[1\] +L1\[1\] +active +4xEDR +1 +0x0002c90300100001$/m);
  });

  it("answers in JSON, --json before or after the request", async () => {
    const { out } = await ctl("counters", "--json");
    expect(JSON.parse(out)).toMatchObject({ saUnanswered: 0 });
    expect((await ctl("--json", "counters")).status).toBe(0);
  });

  it("takes a link down and up", async () => {
    expect((await ctl("link", "down", "H3")).out).toMatch(/^H3\[1\] .*down/m);
    expect((await ctl("status")).out).toContain("(1 down)");
    expect((await ctl("link", "up", "H3")).status).toBe(0);
    expect((await ctl("status")).out).toContain("(0 down)");
  });

  it("draws a route hop by hop", async () => {
    expect((await ctl("routes", "H1", "H8")).out).toBe(
      [
        "LID 1 to LID 11",
        "  1  H1[1] -> L1[1]",
        "  2  L1[5] -> S1[1]",
        "  3  S1[2] -> L2[5]",
        "  4  L2[4] -> H8[1]",
        "     arrives",
        "",
      ].join("\n"),
    );
  });

  it("lists the path of a pair", async () => {
    expect((await ctl("paths", "H1", "H8")).out).toMatch(/^H1\[1\] +H8\[1\] +1 +11 +4096 +100 +0xffff$/m);
  });

  it.each([
    ["192.0.2.2/24", "192.0.2.2", "192.0.2.2"],
    ["2001:DB8::2/64", "2001:db8:0::2", "2001:db8::2"],
  ])("keeps the addresses: %s comes, moves and goes", async (prefixed, again, ip) => {
    const length = prefixed.split("/")[1] ?? "";
    const where = async (): Promise<string | undefined> =>
      (await ctl("addresses")).out
        .split("\n")
        .map((line) => line.split(/ +/))
        .find(([, address]) => address === `${ip}/${length}`)?.[0];
    expect((await ctl("addr", "add", "H2", prefixed)).status).toBe(0);
    expect(await where()).toBe("H2[1]");
    expect((await ctl("addr", "move", again, "H3")).status).toBe(0);
    expect(await where()).toBe("H3[1]");
    for (const [words, code] of [
      [["add", "H4", prefixed], "VERBENA_SIM_ADDRESS_DUPLICATE"],
      [["add", "H99", `${ip}9/${length}`], "VERBENA_SIM_NODE_UNKNOWN"],
      [["add", "H4", ip], "VERBENA_SIM_ADDRESS_SYNTAX"],
      [["move", ip, "H99"], "VERBENA_SIM_NODE_UNKNOWN"],
      [["move", ip, "L1[1]"], "VERBENA_SIM_PORT_UNKNOWN"],
      [["move", `${ip}9`, "H4"], "VERBENA_SIM_ADDRESS_UNKNOWN"],
    ] as const) {
      const { status, err } = await ctl("addr", ...words);
      // What names no part of the fabric cannot be carried out (1); the others are wrong requests (2).
      expect([status, err]).toEqual([
        /_(NODE|PORT)_UNKNOWN$/.test(code) ? 1 : 2,
        expect.stringContaining(`[${code}]\nhint: `),
      ]);
    }
    // A move that was refused has moved nothing.
    expect(await where()).toBe("H3[1]");
    expect((await ctl("addr", "del", again)).status).toBe(0);
    expect(await where()).toBeUndefined();
    expect((await ctl("addr", "del", ip)).err).toContain("[VERBENA_SIM_ADDRESS_UNKNOWN]");
  });

  it("changes how the SA behaves", async () => {
    expect((await ctl("sa", "busy", "5s")).status).toBe(0);
    expect((await ctl("status")).out).toContain("SA busy");
    expect((await ctl("sa", "normal")).status).toBe(0);
    expect((await ctl("status")).out).toContain("SA normal");
  });

  it("refuses what it does not understand", async () => {
    const { status, err } = await ctl("lnik", "down", "H2");
    expect(status).toBe(2);
    expect(err).toContain('no request "lnik"');
  });

  it(
    "runs a program as a node, and passes its status on",
    async () => {
      const script =
        'printf "%s %s %s %s" "$FABRICSIM_DIR" "$FABRICSIM_NODE" "$VERBENA_LIBFABRICSIM" "$LD_PRELOAD"; exit 7';
      const { status, out } = await exec("sh", "-c", script);
      const [directory, node, library, preload] = out.split(" ");
      expect([directory, node]).toEqual([fabric, "H2"]);
      expect(library).toMatch(/\/libfabricsim\.so$/);
      expect(preload?.split(":")[0]).toBe(library);
      expect(status).toBe(7);
    },
    TIMEOUT_MS,
  );

  it(
    "passes signals on",
    async () => {
      const program = 'process.on("SIGTERM", () => process.exit(9)); console.log("ready"); setInterval(() => {}, 1e6)';
      const words = ["sim", "exec", "--dir", fabric, "--node", "H2", "--", process.execPath, "-e", program];
      const running = await ReadyChild.start(words);
      running.kill("SIGTERM");
      expect(await running.ended).toEqual({ code: 9, signal: null });
    },
    TIMEOUT_MS,
  );

  it.each([
    [143, "that a signal ended it", ["--node", "H1", "--", "sh", "-c", "kill -TERM $$"], ""],
    [1, "that there is no such program", ["--node", "H1", "--", "/nowhere/program"], "VERBENA_CLI_EXEC"],
    [2, "that there is no such node", ["--node", "H9", "--", "true"], "VERBENA_CLI_USAGE_NODE"],
    [3, "that no fabric runs", ["--dir", "/nowhere", "--node", "H1", "--", "true"], "VERBENA_SIM_CONTROL_CONNECT"],
  ])(
    "says with %i %s",
    async (expected, _what, words, said) => {
      const { status, err } = await run(["sim", "exec", "--dir", fabric, ...words]);
      expect(err).toContain(said);
      expect(status).toBe(expected);
    },
    TIMEOUT_MS,
  );

  it(
    "ends with 0 on SIGTERM and leaves nothing to attach to",
    async () => {
      expect(await child.stop()).toEqual({ code: 0, signal: null });
      const { status } = await ctl("status");
      expect(status).toBe(3);
    },
    TIMEOUT_MS,
  );
});
