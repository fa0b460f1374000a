import { Mtu, PKey, Rate } from "@verbena/ib";
import fc from "fast-check";
import { failureOf } from "../../test/failure-of.js";
import { formatTopology } from "./format-topology.js";
import { fatTree, twoLevel } from "./generate.js";
import { negotiate } from "./link-speed.js";
import { topologyPort } from "./model.js";
import { parseTopology } from "./parse-topology.js";

const rates = [
  "1xSDR",
  "4xDDR",
  "4xQDR",
  "4xFDR10",
  "4xFDR",
  "4xEDR",
  "4xHDR",
  "2xHDR",
  "4xNDR",
  "12xEDR",
  "8xDDR",
  "4xXDR",
];

const options = fc.record({
  hosts: fc.integer({ min: 1, max: 30 }),
  leafs: fc.integer({ min: 1, max: 4 }),
  spines: fc.integer({ min: 1, max: 3 }),
  linksPerSpine: fc.integer({ min: 1, max: 2 }),
  rate: fc.constantFrom(...rates),
  mtuBytes: fc.constantFrom(256, 512, 1024, 2048, 4096),
  lmc: fc.integer({ min: 0, max: 7 }),
  pkeys: fc.constantFrom([PKey.DEFAULT], [PKey.DEFAULT, PKey.from(0x8001)], [PKey.DEFAULT_LIMITED]),
});

describe("fatTree", () => {
  it("survives being written and read", () => {
    fc.assert(
      fc.property(options, (size) => {
        const topology = fatTree(size);
        const read = parseTopology(formatTopology(topology));
        // Ports without a cable have no rate to write.
        const cabled = (one: typeof topology) =>
          one.nodes.map((node) => ({
            ...node,
            ports: node.ports.map((port) => (port.remote || port.number === 0 ? port : { number: port.number })),
          }));
        expect(cabled(read)).toEqual(cabled(topology));
      }),
      { numRuns: 60 },
    );
  });

  it("has the links that a fat tree has", () => {
    const { nodes } = fatTree({ hosts: 6, leafs: 2, spines: 2, linksPerSpine: 2 });
    expect(nodes.map((node) => `${node.id} ${node.kind} ${node.portCount}`)).toEqual([
      "H1 ca 1",
      "H2 ca 1",
      "H3 ca 1",
      "H4 ca 1",
      "H5 ca 1",
      "H6 ca 1",
      "L1 switch 7",
      "L2 switch 7",
      "S1 switch 4",
      "S2 switch 4",
    ]);
    const l2 = nodes[7]!;
    expect(l2.ports.slice(1).map((port) => `${port.remote?.node}[${port.remote?.port}]`)).toEqual([
      "H4[1]",
      "H5[1]",
      "H6[1]",
      "S1[3]",
      "S1[4]",
      "S2[3]",
      "S2[4]",
    ]);
    expect(nodes[0]).toMatchObject({ description: "node1 HCA-1", nodeGuid: 0x0002_c903_0010_0000n });
    const port = topologyPort(nodes[0]!, 1)!;
    expect(port.mtu).toBe(Mtu.MTU_4096);
    const { width, speed } = negotiate(port, port)!;
    expect(Rate.fromWidthSpeed(width, speed)).toBe(Rate.fromGbps(100));
  });

  it.each([
    [{ hosts: 0, leafs: 1, spines: 0 }, "hosts is 0"],
    [{ hosts: 4, leafs: 2, spines: 0 }, "without a spine"],
    [{ hosts: 500, leafs: 1, spines: 0 }, "254 ports"],
    [{ hosts: 500, leafs: 255, spines: 1 }, "254 ports"],
    [{ hosts: 2, leafs: 1, spines: 0, rate: "5xEDR" }, '"5xEDR" is no link rate'],
    [{ hosts: 2, leafs: 1, spines: 0, mtuBytes: 1500 }, "1500 is no MTU"],
  ])("refuses %j", (size, problem) => {
    const error = failureOf(() => fatTree(size));
    expect(error.code).toBe("VERBENA_SIM_TOPOLOGY_SIZE");
    expect(error.message).toContain(problem);
  });
});

describe("twoLevel", () => {
  it("puts a top switch above several leaf switches only", () => {
    expect(
      twoLevel({ hosts: 4 })
        .nodes.filter((node) => node.kind === "switch")
        .map((node) => node.id),
    ).toEqual(["L1"]);
    expect(
      twoLevel({ hosts: 8 })
        .nodes.filter((node) => node.kind === "switch")
        .map((node) => node.id),
    ).toEqual(["L1", "L2", "S1"]);
    expect(failureOf(() => twoLevel({ hosts: 8, hostsPerLeaf: 0 })).code).toBe("VERBENA_SIM_TOPOLOGY_SIZE");
  });
});
