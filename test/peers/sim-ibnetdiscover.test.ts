/** Debian's diagnostics explore our fabric by directed-route and LID-routed packets; what they print is the topology again. */
import { fatTree, parseTopology, routeText, SimControlClient, type Topology } from "@verbena/fabric-sim";
import { PeerFabric } from "./peer-fabric.js";
import { missing } from "./sim-programs.js";

const reason = missing("ibnetdiscover", "smpquery", "ibtracert", "sminfo");
const suite = reason === undefined ? describe : describe.skip;

/** What is known of each node by its GUID: description and the ends of its cables. */
function shape({ nodes }: Topology): unknown {
  const guids = new Map(nodes.map((node) => [node.id, node.nodeGuid]));
  return nodes
    .map((node) => ({
      guid: node.nodeGuid,
      description: node.description,
      portCount: node.portCount,
      cables: node.ports
        .filter((port) => port.number > 0)
        .map(({ remote }) => (remote === undefined ? undefined : `${String(guids.get(remote.node))}[${remote.port}]`)),
    }))
    .sort((a, b) => (a.guid < b.guid ? -1 : 1));
}

suite(`diagnostics on our fabric${reason === undefined ? "" : `: ${reason}`}`, () => {
  const topology = fatTree({ hosts: 24, leafs: 3, spines: 2, rate: "4xHDR" });
  let fabric: PeerFabric;

  beforeAll(async () => {
    fabric = await PeerFabric.start(topology);
  });

  afterAll(() => fabric.stop());

  it("ibnetdiscover prints the topology", async () => {
    const { stdout, stderr, status } = await fabric.run("H7", "ibnetdiscover");
    expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
    expect(shape(parseTopology(stdout))).toEqual(shape(topology));
    expect(stdout).toContain("4xHDR");
  });

  it.each([0, 2])("ibtracert prints the routes that packets take, LMC %i", async (lmc) => {
    const own = await PeerFabric.start(fatTree({ hosts: 24, leafs: 3, spines: 2, lmc }));
    try {
      const control = await SimControlClient.connect(own.dir);
      const route = await control.request({ op: "routes", from: "H1", to: "H24" });
      const status = await control.request({ op: "status" });
      await control.close();
      const { stdout } = await own.run("H7", "ibtracert", String(route.slid), String(route.dlid));
      expect(stdout).toBe(`${routeText(status, route).join("\n")}\n`);
    } finally {
      await own.stop();
    }
  });

  it("sminfo and smpquery find the manager and its node", async () => {
    const { stdout } = await fabric.run("H7", "sminfo");
    expect(stdout).toContain("sm lid 1 sm guid 0x2c90300100001");
    expect(stdout).toContain("SMINFO_MASTER");
    const description = await fabric.run("H7", "smpquery", "nodedesc", "1");
    expect(description.stdout).toMatch(/node1 HCA-1/);
  });
});
