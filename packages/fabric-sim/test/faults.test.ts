import {
  decodePathRecord,
  decodeSaMad,
  emptyPathRecord,
  encodePathRecord,
  encodeSaMad,
  MadMethod,
  MadStatus,
  PortCapability,
  PortState,
  pathRecordMask,
  SaAttribute,
  saTableRecords,
} from "@verbena/ib";
import type { FabricPort } from "../src/fabric/port.js";
import { transit } from "../src/fabric/route.js";
import { cutRoute } from "../src/faults/outages.js";
import { Simulation } from "../src/process/simulation.js";
import type { SaMode } from "../src/sa/sa-behaviour.js";
import { fatTree, twoLevel } from "../src/topology/generate.js";
import { ManualServices } from "./manual-services.js";
import { SaClient } from "./sa-client.js";

function start(topology = fatTree({ hosts: 8, leafs: 2, spines: 2 })) {
  const services = new ManualServices();
  const simulation = new Simulation(topology, services);
  const events: string[] = [];
  simulation.host.onChange((hca, change) => {
    if (change.type === "async-event") events.push(`${hca.id}[${change.portNumber}] ${change.event}`);
  });
  const askPath = (client: SaClient, to: string) => {
    const wanted = { sgid: client.port.gid, dgid: simulation.fabric.portNamed(to).gid };
    return client.request({
      method: 1,
      attributeId: SaAttribute.PATH_RECORD,
      record: encodePathRecord(emptyPathRecord(wanted)),
      componentMask: pathRecordMask(wanted),
    });
  };
  return { services, simulation, events, askPath };
}

describe("a link that goes down", () => {
  it("takes its host from the SA and tells its programs; coming back it is as new", () => {
    const { services, simulation, events, askPath } = start();
    const client = new SaClient(simulation, services, "H2");
    const h8 = simulation.fabric.portNamed("H8");
    const lid = h8.lid;
    expect(askPath(client, "H8")?.status).toBe(MadStatus.OK);

    simulation.fabric.setLink(h8, false);
    expect(events).toEqual(["H8[1] port-err"]);
    expect(h8.state).toBe(PortState.DOWN);
    services.run();
    expect(askPath(client, "H8")?.status).toBe(MadStatus.SA_NO_RECORDS);
    expect(askPath(client, "H7")?.status).toBe(MadStatus.OK);

    simulation.fabric.setLink(h8, true);
    expect(h8.state).toBe(PortState.INIT);
    expect(events).toHaveLength(1);
    services.run();
    expect(events.slice(1)).toEqual(["H8[1] port-active", "H8[1] client-reregister"]);
    expect(h8.state).toBe(PortState.ACTIVE);
    expect(decodePathRecord(askPath(client, "H8")!.data).dlid).toBe(lid);
  });

  it("between switches is routed around", () => {
    const { services, simulation, events, askPath } = start();
    const client = new SaClient(simulation, services, "H1");
    const [h1, h8] = [simulation.fabric.portNamed("H1"), simulation.fabric.portNamed("H8")];
    const spineOf = () => transit(h1, h8.lid).hops.map((hop) => hop.to.node.id)[1]!;
    const before = spineOf();
    const uplink = simulation.fabric.nodeById("L1")!.ports.find((port) => port.cable?.node.id === before)!;
    simulation.fabric.setLink(uplink, false);
    services.run();
    expect(spineOf()).not.toBe(before);
    expect(transit(h1, h8.lid).arrivals).toEqual([h8]);
    expect(askPath(client, "H8")?.status).toBe(MadStatus.OK);
    expect(events).toEqual([]);
  });

  it("cuts off all behind it, whose ports stay active and keep their LIDs", () => {
    const { services, simulation, askPath } = start(twoLevel({ hosts: 8 }));
    const client = new SaClient(simulation, services, "H1");
    const lids = new Map(simulation.fabric.nodes.flatMap((node) => node.endPorts).map((port) => [port.name, port.lid]));
    const uplink = simulation.fabric.nodeById("L2")!.ports.find((port) => port.cable?.node.id === "S1")!;
    simulation.fabric.setLink(uplink, false);
    services.run();
    expect(askPath(client, "H5")?.status).toBe(MadStatus.SA_NO_RECORDS);
    expect(simulation.fabric.portNamed("H5").state).toBe(PortState.ACTIVE);
    const cutOff = new SaClient(simulation, services, "H5");
    expect(askPath(cutOff, "H6")).toBeUndefined();
    simulation.fabric.setLink(uplink, true);
    services.run();
    expect(askPath(cutOff, "H6")?.status).toBe(MadStatus.OK);
    for (const node of simulation.fabric.nodes)
      for (const port of node.endPorts) expect(port.lid).toBe(lids.get(port.name));
  });

  it("of the manager's own port leaves the others as they are", () => {
    const { services, simulation, events, askPath } = start();
    const client = new SaClient(simulation, services, "H2");
    const [h1] = simulation.fabric.portsNamed("H1");
    simulation.fabric.setLink(h1!, false);
    services.run();
    expect(askPath(client, "H3")).toBeUndefined();
    expect(simulation.fabric.portNamed("H3").state).toBe(PortState.ACTIVE);
    simulation.fabric.setLink(h1!, true);
    services.run();
    expect(askPath(client, "H3")?.status).toBe(MadStatus.OK);
    expect(events).toEqual(["H1[1] port-err", "H1[1] port-active", "H1[1] client-reregister"]);
  });

  it("between switches, alone, cuts hosts off that stay active: back, they are asked to register again, since they are in no group any more", () => {
    const { services, simulation, events } = start(twoLevel({ hosts: 8 }));
    const h8 = simulation.fabric.portNamed("H8");
    const group = simulation.sm.groups.all()[0]!;
    simulation.sm.groups.join(group, { port: h8, portGid: h8.gid, scope: 2, joinState: 1, proxyJoin: false });
    const uplink = simulation.fabric.portNamed("L2[5]");
    simulation.fabric.setLink(uplink, false);
    services.run();
    expect(h8.state).toBe(PortState.ACTIVE);
    expect(group.members.size).toBe(0);
    expect(events).toEqual([]);
    simulation.fabric.setLink(uplink, true);
    services.run();
    expect(events).toEqual(["H5", "H6", "H7", "H8"].map((host) => `${host}[1] client-reregister`));
  });

  it("twice is down once", () => {
    const { services, simulation, events } = start();
    const h8 = simulation.fabric.portNamed("H8");
    simulation.fabric.setLink(h8, false);
    simulation.fabric.setLink(h8, false);
    services.run();
    expect(events).toEqual(["H8[1] port-err"]);
  });
});

describe("outages", () => {
  it("a flapping link is down for as long as told, and up in between", async () => {
    const { services, simulation, events } = start();
    const h8 = simulation.fabric.portNamed("H8");
    const done = simulation.outages.flap([h8], 50, 2);
    services.advance(49);
    expect(events).toEqual(["H8[1] port-err"]);
    services.advance(1);
    await Promise.resolve();
    services.run();
    expect(events.slice(1)).toEqual(["H8[1] port-active", "H8[1] client-reregister"]);
    services.advance(50);
    await Promise.resolve();
    await Promise.resolve();
    services.advance(50);
    await done;
    expect(h8.isLinkUp).toBe(true);
    expect(events.filter((event) => event === "H8[1] port-err")).toHaveLength(2);
  });

  it("a node that was removed comes back with the links it had", () => {
    const { services, simulation } = start();
    const { fabric, outages } = simulation;
    const leaf = fabric.nodeById("L2")!;
    const h8 = fabric.portNamed("H8");
    fabric.setLink(h8, false);
    outages.remove(leaf);
    outages.remove(leaf);
    services.run();
    expect(outages.isRemoved(leaf)).toBe(true);
    expect(simulation.sm.subnet.nodes.map(({ id }) => id)).not.toContain("L2");
    outages.restore(leaf);
    services.run();
    expect(simulation.sm.subnet.nodes.map(({ id }) => id)).toContain("L2");
    expect(h8.isLinkUp).toBe(false);
  });

  it("a one-way route: the SA has no path there, and the path back is not reversible", () => {
    const { services, simulation, askPath } = start();
    const [h1, h2, h8] = ["H1", "H2", "H8"].map((name) => simulation.fabric.portNamed(name));
    expect(cutRoute(h8!, h2!)).toBe(true);
    expect(transit(h8!, h2!.lid).dropped).toBe("no-route");
    expect(transit(h2!, h8!.lid).arrivals).toEqual([h8]);
    const there = askPath(new SaClient(simulation, services, "H2"), "H8");
    expect(decodePathRecord(there!.data).reversible).toBe(false);
    expect(askPath(new SaClient(simulation, services, "H8"), "H2")?.status).toBe(MadStatus.SA_NO_RECORDS);
    expect(cutRoute(h1!, simulation.fabric.portNamed("L1[0]"))).toBe(false);
    expect(cutRoute(h1!, h1!)).toBe(false);
    expect(transit(h2!, h1!.lid).arrivals).toEqual([h1]);
  });
});

describe("the SA", () => {
  it("is silent for as long as it is told", () => {
    const { services, simulation, askPath } = start();
    const client = new SaClient(simulation, services, "H2");
    simulation.sa.behaviour.set("silent", 5000);
    expect(askPath(client, "H3")).toBeUndefined();
    services.advance(4999);
    expect(askPath(client, "H3")).toBeUndefined();
    services.advance(1);
    expect(askPath(client, "H3")?.status).toBe(MadStatus.OK);
    expect(simulation.sa.counters.unanswered).toBe(2);
  });

  it("refuses with BUSY and repeats the request", () => {
    const { services, simulation, askPath } = start();
    const client = new SaClient(simulation, services, "H2");
    simulation.sa.behaviour.set("busy");
    const answer = askPath(client, "H3")!;
    expect([answer.status, answer.method]).toEqual([MadStatus.BUSY, 0x81]);
    expect(decodePathRecord(answer.data).dgid).toBe(simulation.fabric.portNamed("H3").gid);
    services.advance(1_000_000);
    expect(askPath(client, "H3")?.status).toBe(MadStatus.BUSY);
    simulation.sa.behaviour.set("normal");
    expect(askPath(client, "H3")?.status).toBe(MadStatus.OK);
    expect(simulation.sa.counters.busy).toBe(2);
  });

  it("takes up a new order before the last one ends", () => {
    const { services, simulation, askPath } = start();
    const client = new SaClient(simulation, services, "H2");
    simulation.sa.behaviour.set("silent", 1000);
    simulation.sa.behaviour.set("busy", 3000);
    services.advance(2000);
    expect(askPath(client, "H3")?.status).toBe(MadStatus.BUSY);
    services.advance(1000);
    expect(askPath(client, "H3")?.status).toBe(MadStatus.OK);
    expect(services.timers).toBe(0);
  });
});

describe("an SA that is", () => {
  function ask(mode: SaMode, count = 1) {
    const { services, simulation } = start();
    const client = new SaClient(simulation, services, "H2");
    simulation.sa.behaviour.set(mode);
    for (let index = 0; index < count; index++) {
      client.send(
        encodeSaMad({ method: MadMethod.GET, tid: client.nextTid(), attributeId: SaAttribute.CLASS_PORT_INFO }),
      );
    }
    services.run();
    const tids = () => client.received.map((mad) => decodeSaMad(mad).tid);
    return { services, simulation, client, tids };
  }

  it("slow answers three seconds later", () => {
    const { services, tids } = ask("slow", 2);
    services.advance(2999);
    expect(tids()).toEqual([]);
    services.advance(1);
    expect(tids()).toEqual([1n, 2n]);
  });

  it("twice answers twice", () => {
    expect(ask("twice", 2).tids()).toEqual([1n, 1n, 2n, 2n]);
  });

  it("unordered lets the later answer go first, and waits no more than 100 ms for one", () => {
    const { services, tids } = ask("unordered", 3);
    expect(tids()).toEqual([2n, 1n]);
    services.advance(99);
    expect(tids()).toHaveLength(2);
    services.advance(1);
    expect(tids()).toEqual([2n, 1n, 3n]);
    expect(services.timers).toBe(0);
  });

  it("wrong-tid changes the half of the transaction id that the kernel does not look at", () => {
    expect(ask("wrong-tid").tids()).toEqual([0x8000_0001n]);
  });

  it("twice or unordered still gets its tables through", () => {
    for (const mode of ["twice", "unordered"] as const) {
      const { services, client, simulation } = ask(mode, 0);
      client.send(encodeSaMad({ method: MadMethod.GET_TABLE, tid: 77n, attributeId: SaAttribute.NODE_RECORD }));
      services.advance(60_000);
      const table = client.received.find((mad) => decodeSaMad(mad).tid === 77n);
      expect(saTableRecords(table!)).toHaveLength(simulation.fabric.nodes.length);
    }
  });

  it("closed drops what it had not sent", () => {
    const { services, simulation } = ask("slow", 3);
    expect(services.timers).toBe(3);
    simulation.close();
    expect(services.timers).toBe(0);
  });
});

describe("the subnet manager", () => {
  it("asks all ports to register again, and forgets who was in which group", () => {
    const { services, simulation, events } = start(twoLevel({ hosts: 2 }));
    const group = simulation.sm.groups.all()[0]!;
    const h2 = simulation.fabric.portNamed("H2");
    simulation.sm.groups.join(group, { port: h2, portGid: h2.gid, scope: 2, joinState: 1, proxyJoin: false });
    simulation.sm.reregister();
    services.run();
    expect(events).toEqual(["H1[1] client-reregister", "H2[1] client-reregister"]);
    expect(group.members.size).toBe(0);
    expect(simulation.sm.groups.all()).toEqual([group]);
  });

  it("hands over to another port: LIDs stay, everybody gets its new SM, the SA answers there and no longer at the old place", () => {
    const { services, simulation, events } = start(twoLevel({ hosts: 2 }));
    const [h1, h2] = ["H1", "H2"].map((name) => simulation.fabric.portNamed(name)) as [FabricPort, FabricPort];
    const lids = [h1.lid, h2.lid];
    const group = simulation.sm.groups.all()[0]!;
    simulation.sm.groups.join(group, { port: h1, portGid: h1.gid, scope: 2, joinState: 1, proxyJoin: false });
    simulation.sm.handOver("H2");
    services.run();
    expect(events).toEqual(["H1[1]", "H2[1]"].flatMap((port) => [`${port} sm-change`, `${port} client-reregister`]));
    expect([h1.lid, h2.lid]).toEqual(lids);
    expect([h1.smLid, h2.smLid]).toEqual([h2.lid, h2.lid]);
    expect([h1, h2].map(({ capabilityMask }) => (capabilityMask & PortCapability.IS_SM) !== 0)).toEqual([false, true]);
    expect(group.members.size).toBe(0);
    const request = encodeSaMad({ method: MadMethod.GET_TABLE, tid: 5n, attributeId: SaAttribute.NODE_RECORD });
    const client = new SaClient(simulation, services, "H2");
    h2.smLid = h1.lid;
    client.send(request);
    services.run();
    expect(client.received).toEqual([]);
    h2.smLid = h2.lid;
    client.send(request);
    services.run();
    expect(saTableRecords(client.received[0]!)).toHaveLength(simulation.fabric.nodes.length);
  });

  it("hands over from a manager whose host is gone: the ports that are left follow the new one, the old host too once it is back", () => {
    const { services, simulation, events, askPath } = start();
    const [h1, h8] = ["H1", "H8"].map((name) => simulation.fabric.portNamed(name)) as [FabricPort, FabricPort];
    const lids = [h1.lid, h8.lid];
    simulation.outages.remove(h1.node);
    services.run();
    events.length = 0;
    simulation.sm.handOver("H8");
    services.run();
    const rest = ["H2", "H3", "H4", "H5", "H6", "H7", "H8"];
    expect(new Set(events)).toEqual(
      new Set(rest.flatMap((host) => [`${host}[1] sm-change`, `${host}[1] client-reregister`])),
    );
    const client = new SaClient(simulation, services, "H2");
    expect(client.port.smLid).toBe(h8.lid);
    expect(askPath(client, "H3")?.status).toBe(MadStatus.OK);
    expect(askPath(client, "H1")?.status).toBe(MadStatus.SA_NO_RECORDS);
    simulation.outages.restore(h1.node);
    services.run();
    expect([h1.lid, h8.lid]).toEqual(lids);
    expect(h1.smLid).toBe(h8.lid);
    expect(askPath(client, "H1")?.status).toBe(MadStatus.OK);
  });

  it.each([
    ["H1", "is there already"],
    ["H9", "H9"],
    ["L1", "switch"],
    ["H2", "link is down"],
  ])("does not hand over to %s", (name, problem) => {
    const { simulation } = start(twoLevel({ hosts: 2 }));
    simulation.fabric.setLink(simulation.fabric.portNamed("H2"), false);
    expect(() => simulation.sm.handOver(name)).toThrow(problem);
  });

  it("moves a port to a LID nobody has had, and routes to it", () => {
    const { services, simulation, events, askPath } = start();
    const client = new SaClient(simulation, services, "H2");
    const h8 = simulation.fabric.portNamed("H8");
    const old = h8.lid;
    simulation.sm.changeLid(h8);
    services.run();
    expect(h8.lid).toBe(13);
    expect(events).toEqual(["H8[1] lid-change"]);
    expect(decodePathRecord(askPath(client, "H8")!.data).dlid).toBe(13);
    expect(transit(client.port, old).dropped).toBe("no-route");
  });
});
