/** Debian's saquery on our fabric with the built-in SM and SA: it must print the whole fabric. */
import { fatTree, SimControlClient } from "@verbena/fabric-sim";
import { PeerFabric } from "./peer-fabric.js";
import { missing, records } from "./sim-programs.js";

const reason = missing("saquery", "ibstat");
const suite = reason === undefined ? describe : describe.skip;

suite(`saquery on 100 hosts${reason === undefined ? "" : `: ${reason}`}`, () => {
  const topology = fatTree({ hosts: 100, leafs: 4, spines: 2, rate: "4xHDR" });
  let fabric: PeerFabric;

  beforeAll(async () => {
    fabric = await PeerFabric.start(topology);
  });

  afterAll(() => fabric.stop());

  const saquery = async (...args: readonly string[]) => {
    const { status, stdout, stderr } = await fabric.run("H50", "saquery", ...args);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    return records(stdout);
  };

  it("prints every node", async () => {
    for (const args of [[], ["NR"]]) {
      const names = (await saquery(...args)).map((record) => record["NodeDescription"]);
      expect(names.sort()).toEqual(topology.nodes.map((node) => node.description).sort());
    }
  });

  it("prints every path", async () => {
    // The table is 3600 packets: more than the default second on a machine that does other things.
    const paths = await saquery("-t", "20000", "PR");
    expect(new Set(paths.map((path) => `${path["sgid"]} ${path["dgid"]}`)).size).toBe(106 * 106);
    const hostPath = paths.find((path) => path["slid"] === "1" && path["dgid"]?.endsWith(":10:631"));
    expect(hostPath).toMatchObject({
      num_path_revers: "0x80",
      pkey: "0xFFFF",
      sl: "0x0",
      mtu: "0x85",
      rate: "0x91",
      pkt_life: "0x92",
      preference: "0x0",
      hop_flow_raw: "0x0",
    });
  });

  it("prints the broadcast group", async () => {
    const groups = await saquery("MCMR");
    expect(groups).toHaveLength(1);
    expect(groups[0]).toMatchObject({
      MGID: "ff12:401b:ffff::ffff:ffff",
      mlid: "0xc000",
      qkey: "0xb1b",
      mtu: "0x84",
      rate: "0x83",
    });
  });

  it("prints every port, link and switch", async () => {
    const portCount = topology.nodes.reduce((sum, node) => sum + node.ports.length, 0);
    expect((await saquery("PIR")).filter((record) => "EndPortLid" in record)).toHaveLength(portCount);
    const cabled = topology.nodes.flatMap((node) => node.ports).filter((port) => port.remote !== undefined);
    expect(await saquery("LR")).toHaveLength(cabled.length);
    expect((await saquery("SWIR")).filter((record) => "LinearFDBCap" in record)).toHaveLength(6);
    const { stdout } = await fabric.run("H50", "saquery", "CPI");
    expect(stdout).toMatch(/Class version\.+2\n/);
  });

  it("answers a single question by name of LIDs, and fails on an unknown one", async () => {
    const [path] = await saquery("PR", "--slid", "1", "--dlid", "9");
    expect(path).toMatchObject({ slid: "1", dlid: "9" });
    const unknown = await fabric.run("H50", "saquery", "NR", "999");
    expect(unknown.stdout).not.toContain("NodeRecord dump");
  });

  it("sees links go down and come back", async () => {
    const control = await SimControlClient.connect(fabric.dir);
    await control.request({ op: "link", action: "down", end: "H100" });
    expect(await saquery("NR")).toHaveLength(105);
    const { stdout } = await fabric.run("H100", "ibstat", "sim0", "1");
    expect(stdout).toMatch(/State: Down/);
    await control.request({ op: "link", action: "up", end: "H100" });
    expect(await saquery("NR")).toHaveLength(106);
    await control.close();
  });

  it("gives up on a silent SA", async () => {
    const control = await SimControlClient.connect(fabric.dir);
    await control.request({ op: "sa", mode: "silent" });
    const { stdout, stderr } = await fabric.run("H50", "saquery", "-t", "200", "NR");
    expect(stdout).not.toContain("NodeRecord dump");
    expect(stderr).toMatch(/timed out|Connection timed out/i);
    await control.request({ op: "sa", mode: "normal" });
    await control.close();
  });
});
