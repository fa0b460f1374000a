import { decodeSaMad, encodeSaMad, Lid, LRH_SIZE, MadMethod, SaAttribute } from "@verbena/ib";
import type { LinkFault } from "../src/faults/wire-faults.js";
import { Simulation } from "../src/process/simulation.js";
import { twoLevel } from "../src/topology/generate.js";
import { gsiPacket } from "./mad-packets.js";
import { ManualServices } from "./manual-services.js";
import { SaClient } from "./sa-client.js";

const NONE: LinkFault = { lossPercent: 0, delayMs: 0, jitterMs: 0, duplicatePercent: 0, reorderPercent: 0 };

/** H2 asks the SA at H1; both are on L1. */
function start() {
  const services = new ManualServices();
  const simulation = new Simulation(twoLevel({ hosts: 8 }), services);
  const client = new SaClient(simulation, services, "H2");
  const { faults } = simulation.fabric;
  const port = (name: string) => simulation.fabric.portNamed(name);
  const ask = (count: number) => {
    for (let index = 0; index < count; index++) {
      client.send(
        encodeSaMad({ method: MadMethod.GET, tid: client.nextTid(), attributeId: SaAttribute.CLASS_PORT_INFO }),
      );
    }
    services.run();
  };
  const answers = () => client.received.map((mad) => Number(decodeSaMad(mad).tid));
  return { services, simulation, faults, port, ask, answers };
}

describe("a link", () => {
  it("loses packets that leave its end, and no others", () => {
    const { simulation, faults, port, ask, answers } = start();
    const drops: string[] = [];
    simulation.fabric.trace.add((record) => {
      if (record.type === "drop") drops.push(`${record.port.name} ${record.reason}`);
    });
    faults.set(port("H2"), { ...NONE, lossPercent: 100 });
    ask(1);
    expect(drops).toEqual(["H2[1] fault"]);
    expect(simulation.sa.counters.all()).toEqual([]);

    // The answer leaves L1's port: a one-way link.
    faults.clear();
    faults.set(port("L1[2]"), { ...NONE, lossPercent: 100 });
    ask(1);
    expect(simulation.sa.counters.all()).toHaveLength(1);
    expect(answers()).toEqual([]);
    faults.set(port("L1[2]"), undefined);
    ask(1);
    expect(answers()).toEqual([3]);
  });

  it("loses only MADs, or only what is for other queue pairs, if it is told so", () => {
    const { simulation, services, faults, port, ask, answers } = start();
    const got: string[] = [];
    const sendData = () => {
      const lids = { slid: port("H2").lid, dlid: port("H1").lid };
      const packet = gsiPacket(Buffer.alloc(256), lids);
      packet.writeUIntBE(0x40, LRH_SIZE + 5, 3);
      simulation.fabric.send(port("H2"), packet);
      services.run();
    };
    simulation.fabric.trace.add((record) => {
      if (record.type === "drop") got.push(record.reason);
    });
    faults.set(port("H2"), { ...NONE, lossPercent: 100, traffic: "data" });
    ask(1);
    expect(answers()).toEqual([1]);
    sendData();
    expect(got).toEqual(["fault"]);
    faults.set(port("H2"), { ...NONE, lossPercent: 100, traffic: "mads" });
    ask(1);
    expect(answers()).toEqual([1]);
    expect(got).toEqual(["fault", "fault"]);
    sendData();
    expect(got).toEqual(["fault", "fault", "no-agent"]);
  });

  it("loses as many in a hundred as it is told, the same ones with the same seed", () => {
    const lostOf = () => {
      const { faults, port, ask, answers } = start();
      faults.set(port("H2"), { ...NONE, lossPercent: 20 });
      ask(1000);
      return answers();
    };
    const first = lostOf();
    expect(first.length).toBeGreaterThan(750);
    expect(first.length).toBeLessThan(850);
    expect(lostOf()).toEqual(first);
  });

  it("delays, with jitter on top", () => {
    const { services, faults, ask, answers } = start();
    // Two links there, two back.
    faults.set(undefined, { ...NONE, delayMs: 10 });
    ask(1);
    services.advance(39);
    expect(answers()).toEqual([]);
    services.advance(1);
    expect(answers()).toEqual([1]);
    faults.set(undefined, { ...NONE, delayMs: 10, jitterMs: 5 });
    ask(1);
    services.advance(40);
    expect(answers()).toEqual([1]);
    services.advance(20);
    expect(answers()).toEqual([1, 2]);
    expect(services.timers).toBe(0);
  });

  it("duplicates", () => {
    const { faults, port, ask, answers } = start();
    faults.set(port("L1[2]"), { ...NONE, duplicatePercent: 100 });
    ask(2);
    expect(answers()).toEqual([1, 1, 2, 2]);
  });

  it("reorders: a packet held back is overtaken, and nothing is lost", () => {
    const { services, faults, port, ask, answers } = start();
    faults.set(port("H2"), { ...NONE, reorderPercent: 50 });
    ask(20);
    services.advance(10);
    const sorted = answers().toSorted((a, b) => a - b);
    expect(answers()).not.toEqual(sorted);
    expect(sorted).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });

  it("shares its fate among the branches of a multicast packet", () => {
    const { simulation, services, faults, port } = start();
    const group = simulation.sm.groups.all()[0]!;
    for (const name of ["H1", "H2", "H5", "H6"]) {
      const member = port(name);
      simulation.sm.groups.join(group, { port: member, portGid: member.gid, scope: 2, joinState: 1, proxyJoin: false });
    }
    const got: string[] = [];
    simulation.fabric.setReceiver((at) => got.push(at.name));
    const packet = Buffer.alloc(64);
    packet.writeUInt16BE(Lid.MULTICAST_MIN, 2);
    faults.set(port("S1[2]"), { ...NONE, lossPercent: 100 });
    simulation.fabric.send(port("H1"), packet);
    services.run();
    expect(got).toEqual(["H2[1]"]);
    faults.clear();
    faults.set(port("S1[2]"), { ...NONE, duplicatePercent: 100 });
    simulation.fabric.send(port("H1"), packet);
    services.run();
    expect(got.slice(1)).toEqual(["H2[1]", "H5[1]", "H5[1]", "H6[1]", "H6[1]"]);
  });

  it("drops what is under way when the fabric closes", () => {
    const { services, simulation, faults, ask } = start();
    faults.set(undefined, { ...NONE, delayMs: 10 });
    ask(3);
    expect(services.timers).toBe(3);
    simulation.close();
    expect(services.timers).toBe(0);
  });
});
