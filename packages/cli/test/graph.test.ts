/** `sim graph` as people use it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { formatTopology, twoLevel } from "@verbena/fabric-sim";
import { ask } from "./support/run.js";

const TIMEOUT_MS = 60_000;

describe("sim graph", () => {
  const folder = mkdtempSync(join(tmpdir(), "graph-"));
  const net = join(folder, "cluster.net");
  beforeAll(() => {
    writeFileSync(net, formatTopology(twoLevel({ hosts: 8 })));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it(
    "draws a file on standard output, the same each time",
    async () => {
      const first = await ask(["sim", "graph", net]);
      expect(first).toMatchObject({ status: 0, err: "" });
      expect(first.out).toMatch(/^<\?xml .*8 hosts, 3 switches, 10 links.*<\/svg>\n$/s);
      expect((await ask(["sim", "graph", net])).out).toBe(first.out);
    },
    TIMEOUT_MS,
  );

  it(
    "writes it into a file and lists the route, wherever the option stands",
    async () => {
      const out = join(folder, "route.svg");
      for (const words of [
        [net, "--route", "H1", "H8", "--out", out],
        ["--out", out, "--route", "H1", "H8", net],
      ]) {
        const result = await ask(["sim", "graph", ...words]);
        expect(result).toMatchObject({ status: 0, err: "" });
        expect(result.out.split("\n")[1]).toBe('[1] -> switch port {0x0002c90300200000}[1] lid 2-2 "leaf1"');
        expect(readFileSync(out, "utf8")).toContain('class="link route"');
      }
    },
    TIMEOUT_MS,
  );

  it.each([
    [[], 2, "takes a topology file, or --dir DIR"],
    [["--dir", "/nowhere"], 3, "VERBENA_SIM_CONTROL_CONNECT"],
    [["/nowhere.net"], 2, "VERBENA_SIM_FILE"],
    [["--route", "H1"], 2, "--route takes two ends"],
  ])(
    "%j says what is wrong",
    async (words, expected, said) => {
      const { status, err } = await ask(["sim", "graph", ...words]);
      expect({ status, err }).toEqual({ status: expected, err: expect.stringContaining(said) as string });
    },
    TIMEOUT_MS,
  );

  it(
    "says that the drawing cannot be written",
    async () => {
      const { status, err } = await ask(["sim", "graph", net, "--out", "/nowhere/file.svg"]);
      expect({ status, err }).toEqual({ status: 1, err: expect.stringContaining("VERBENA_CLI_FILE") as string });
    },
    TIMEOUT_MS,
  );
});
