import fc from "fast-check";
import type { FabricNode } from "../src/fabric/node.js";
import { transit } from "../src/fabric/route.js";
import { seededRandom } from "../src/fabric/services.js";
import { Simulation } from "../src/process/simulation.js";
import { fatTree } from "../src/topology/generate.js";
import { parseTopology } from "../src/topology/parse-topology.js";
import { ManualServices } from "./manual-services.js";

/** Hops between two nodes over links that are up, through switches only; `undefined` if there is no way. */
function distance(from: FabricNode, to: FabricNode): number | undefined {
  const seen = new Map([[from, 0]]);
  const queue = [from];
  for (let node = queue.shift(); node !== undefined; node = queue.shift()) {
    if (node === to) return seen.get(node);
    if (node.kind !== "switch" && node !== from) continue;
    for (const port of node.ports) {
      const next = port.number === 0 ? undefined : port.neighbour?.node;
      if (next === undefined || seen.has(next)) continue;
      seen.set(next, (seen.get(node) ?? 0) + 1);
      queue.push(next);
    }
  }
  return undefined;
}

const fabrics = fc.record({
  size: fc.record({
    hosts: fc.integer({ min: 2, max: 14 }),
    leafs: fc.integer({ min: 1, max: 4 }),
    spines: fc.integer({ min: 1, max: 3 }),
    linksPerSpine: fc.integer({ min: 1, max: 2 }),
    lmc: fc.integer({ min: 0, max: 2 }),
  }),
  seed: fc.integer(),
  broken: fc.integer({ min: 0, max: 8 }),
});

describe("after any number of broken and mended links", () => {
  it("LIDs are unique and aligned, and every reachable port is reached by the fewest hops", () => {
    fc.assert(
      fc.property(fabrics, ({ size, seed, broken }) => {
        const services = new ManualServices();
        const simulation = new Simulation(fatTree(size), services);
        const { fabric, sm } = simulation;
        const random = seededRandom(seed);
        const cabled = fabric.nodes.flatMap((node) => node.ports).filter((port) => port.cable !== undefined);
        for (let step = 0; step < broken; step++) {
          const port = cabled[Math.floor(random() * cabled.length)];
          if (port === undefined || port === sm.port || port.cable === sm.port) continue;
          fabric.setLink(port, random() < 0.3);
          services.run();
        }
        const lids = fabric.nodes
          .flatMap((node) => node.endPorts)
          .flatMap((port) => {
            expect(port.lid % (1 << port.lmc)).toBe(0);
            return port.lid === 0 ? [] : Array.from({ length: 1 << port.lmc }, (_, index) => port.lid + index);
          });
        expect(new Set(lids).size).toBe(lids.length);
        for (const from of sm.subnet.endPorts) {
          for (const to of sm.subnet.endPorts) {
            const { hops, arrivals } = transit(from, to.lid);
            expect(arrivals).toEqual([to]);
            expect(hops).toHaveLength(distance(from.node, to.node) ?? -1);
          }
        }
        const reachable = fabric.nodes
          .flatMap((node) => node.endPorts)
          .filter((port) => {
            const isCabledUp = port.node.kind === "switch" || port.isLinkUp;
            return isCabledUp && distance(sm.port.node, port.node) !== undefined;
          });
        expect(new Set(sm.subnet.endPorts)).toEqual(new Set(reachable));
      }),
      { numRuns: 60 },
    );
  });
});

describe("the built-in manager", () => {
  it("spreads routes over equal ways", () => {
    const { fabric } = new Simulation(fatTree({ hosts: 16, leafs: 2, spines: 2 }), new ManualServices());
    const h1 = fabric.portNamed("H1");
    const spines = Array.from(
      { length: 8 },
      (_, index) => transit(h1, fabric.portNamed(`H${index + 9}`).lid).hops[1]?.to.node.id,
    );
    expect(spines.filter((id) => id === "S1")).toHaveLength(4);
    expect(spines.filter((id) => id === "S2")).toHaveLength(4);
  });

  it("keeps LIDs that the file names, and gives the others around them", () => {
    const text = [
      'Switch 4 "S" # "s" base port 0 lid 1 lmc 0',
      '[1] "A"[1]',
      '[2] "B"[1]',
      "",
      'Hca 1 "A"',
      '[1] "S"[1]',
      "",
      'Hca 1 "B"',
      '[1] "S"[2] # lid 7 lmc 0 "s" lid 1',
    ].join("\n");
    const { fabric, sm } = new Simulation(parseTopology(text), new ManualServices());
    expect(["A", "B"].map((name) => fabric.portNamed(name).lid)).toEqual([2, 7]);
    expect(fabric.nodeById("S")?.ports[0]?.lid).toBe(1);
    expect(sm.port.name).toBe("A[1]");
  });

  it("sits where it is told, and on hosts joined without a switch", () => {
    const text = ['Hca 2 "A"', '[2] "B"[1]', "", 'Hca 1 "B"', '[1] "A"[2]'].join("\n");
    const { fabric, sm } = new Simulation(parseTopology(text), new ManualServices(), { smNode: "B" });
    expect(sm.port.name).toBe("B[1]");
    const a = fabric.portNamed("A");
    expect([a.name, a.lid, a.smLid]).toEqual(["A[2]", 2, 1]);
    expect(transit(a, sm.port.lid).arrivals).toEqual([sm.port]);
  });
});
