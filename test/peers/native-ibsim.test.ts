/**
 * `@verbena/native` on ibsim with a real OpenSM: the real libibumad under ibsim's preload library, whose descriptors are pretend ones that
 * epoll refuses. What our program learns is compared with what `saquery` prints.
 */
import { join } from "node:path";
import { Ibsim, ibsimMissing } from "./ibsim.js";
import type { IbsimReport } from "./ibsim-client.js";
import { records, run } from "./sim-programs.js";

const title = `native on ibsim${ibsimMissing === "" ? "" : ` (skipped: not installed: ${ibsimMissing}; scripts/bootstrap --peers)`}`;

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

(ibsimMissing === "" ? describe : describe.skip)(title, () => {
  let ibsim: Ibsim;
  beforeAll(async () => {
    ibsim = await Ibsim.start(NET, "H1");
  });
  afterAll(() => ibsim.stop());

  /** Our program on a node of the simulator. */
  async function report(node: string, ...lids: readonly number[]): Promise<IbsimReport> {
    const hook = join(__dirname, "../../scripts/lib/typescript-hook.cjs");
    const args = ["--conditions=@verbena/source", "--require", hook, join(__dirname, "ibsim-client.ts")];
    const done = await run(process.execPath, [...args, ...lids.map(String)], ibsim.environment(node));
    expect({ status: done.status, stderr: done.stderr }).toEqual({ status: 0, stderr: "" });
    return JSON.parse(done.stdout) as IbsimReport;
  }

  async function saquery(node: string, ...args: readonly string[]) {
    const done = await run("saquery", args, ibsim.environment(node));
    expect(done.status).toBe(0);
    return records(done.stdout);
  }

  test("the port is found through libibumad alone", async () => {
    const { info, devices } = await report("H2");
    expect(info).toMatchObject({ device: "ibsim0", port: 1, state: "active" });
    expect(info.lid).toBeGreaterThan(0);
    expect(info.smLid).toBeGreaterThan(0);
    expect(devices).toEqual([]);
  });

  test("the SA's answers are those that saquery prints", async () => {
    const { info, node } = await report("H2");
    expect(node).toMatchObject({ lid: info.lid, nodeDescription: "H2" });
    // Host after host: the simulator cuts tables to their first segment.
    const lids = [(await report("H1")).info.lid, info.lid, (await report("H3")).info.lid];
    expect(new Set(lids).size).toBe(3);
    const { paths } = await report("H2", ...lids);
    for (const [i, dlid] of lids.entries()) {
      const [expected] = await saquery("H2", "--src-to-dst", `${info.lid}:${dlid}`);
      expect(paths[i]).toMatchObject({
        madStatus: 0,
        slid: info.lid,
        dlid,
        pkey: Number(expected?.["pkey"]),
        mtu: Number(expected?.["mtu"]) & 0x3f, // printed with its selector
        rate: Number(expected?.["rate"]) & 0x3f,
      });
    }
  });
});
