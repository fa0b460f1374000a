import { readdirSync } from "node:fs";
import { join } from "node:path";
import { PortState } from "@verbena/ib";
import { readTopologyFile } from "../src/process/load-topology.js";
import { Simulation } from "../src/process/simulation.js";
import { ManualServices } from "./manual-services.js";

const folder = join(__dirname, "..", "topologies");

describe("topologies that come with the package", () => {
  it.each(readdirSync(folder).filter((name) => name.endsWith(".net")))("%s comes up whole", (name) => {
    const simulation = new Simulation(readTopologyFile(join(folder, name)), new ManualServices());
    for (const node of simulation.fabric.nodes) {
      for (const port of node.ports)
        if (port.cable !== undefined) expect([port.name, port.state]).toEqual([port.name, PortState.ACTIVE]);
    }
    expect(simulation.sm.subnet.nodes).toHaveLength(simulation.fabric.nodes.length);
  });
});
