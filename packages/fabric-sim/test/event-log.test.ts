import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  encodeInformInfo,
  Gid,
  IpAddress,
  Lid,
  LinkSpeed,
  LinkWidth,
  MadMethod,
  Mtu,
  PKey,
  Rate,
  SaAttribute,
} from "@verbena/ib";
import { SimControlClient } from "../src/control/sim-control-client.js";
import type { FabricLogEntry } from "../src/event-log/entries.js";
import { EventLog } from "../src/event-log/event-log.js";
import { Simulation } from "../src/process/simulation.js";
import { startFabric } from "../src/process/start-fabric.js";
import { twoLevel } from "../src/topology/generate.js";
import { rejectionOf } from "./failure-of.js";
import { ManualServices } from "./manual-services.js";
import { SaClient } from "./sa-client.js";
import { removeTempDirs, tempDir } from "./temp-dir.js";

afterEach(removeTempDirs);

function start(hosts = 4) {
  const services = new ManualServices();
  const simulation = new Simulation(twoLevel({ hosts, hostsPerLeaf: 2 }), services);
  const log = new EventLog(simulation);
  const entries: FabricLogEntry[] = [];
  const stop = log.listen((entry) => entries.push(entry));
  /** What was written since the last call. */
  const written = () => {
    log.flush();
    return entries.splice(0);
  };
  return { services, simulation, log, entries, stop, written };
}

const NO_FAULT = { lossPercent: 0, delayMs: 0, jitterMs: 0, duplicatePercent: 0, reorderPercent: 0 };

const typesOf = (entries: readonly FabricLogEntry[]) => entries.map(({ type }) => type);

function only<T extends FabricLogEntry["type"]>(entries: readonly FabricLogEntry[], type: T) {
  return entries.filter((entry): entry is Extract<FabricLogEntry, { type: T }> => entry.type === type);
}

describe("event log", () => {
  it("begins with a snapshot: ports, tables, and the path of every pair", () => {
    const { written } = start();
    const [entry, ...rest] = written();
    expect(rest).toEqual([]);
    const [snapshot] = only([entry!], "snapshot");
    expect(snapshot).toMatchObject({ seq: 0, atMs: 0, addresses: [] });
    expect(snapshot?.ports.find(({ end }) => end === "H2[1]")).toEqual({
      end: "H2[1]",
      state: "active",
      lid: 4,
      lmc: 0,
      smLid: 1,
      gids: ["fe80::2:c903:10:11"],
      pkeys: ["0xffff"],
      rate: "4xEDR",
    });
    expect(snapshot?.tables.map(({ node }) => node)).toEqual(["L1", "L2", "S1"]);
    expect(snapshot?.tables[0]?.routes).toContainEqual([4, 2]);
    expect(snapshot?.paths).toHaveLength(16);
    expect(snapshot?.paths?.[1]).toEqual({
      from: "H1[1]",
      to: "H2[1]",
      sgid: "fe80::2:c903:10:1",
      dgid: "fe80::2:c903:10:11",
      slid: 1,
      dlid: 4,
      mtu: Mtu.MTU_4096,
      rate: Rate.fromWidthSpeed(LinkWidth.WIDTH_4X, LinkSpeed.EDR),
      pkeys: ["0xffff"],
    });
  });

  it("has the paths that a lost link takes, before the event that tells of it", () => {
    const { simulation, services, written } = start();
    written();
    simulation.fabric.setLink(simulation.fabric.portNamed("H4"), false);
    const entries = written();
    expect(typesOf(entries)).toEqual(["link", "link", "port", "port", "paths", "async-event"]);
    expect(entries.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6]);
    const [paths] = only(entries, "paths");
    expect(paths?.changed).toEqual([]);
    // H4 to each of the four, itself included, and the other three to H4.
    expect(paths?.removed).toHaveLength(7);
    expect(only(entries, "async-event")).toEqual([expect.objectContaining({ end: "H4[1]", event: "port-err" })]);
    services.run();
    expect(only(written(), "sm")).toEqual([expect.objectContaining({ change: "port-out", name: "H4[1]" })]);
  });

  it("has new routes and a new LID with the time at which they came", () => {
    const { simulation, services, written } = start();
    written();
    services.advance(2500);
    simulation.sm.changeLid(simulation.fabric.portNamed("H2"));
    const entries = written();
    expect(typesOf(entries)).toEqual(["tables", "tables", "tables", "port", "paths", "async-event"]);
    expect(entries.every(({ atMs }) => atMs === 2500)).toBe(true);
    const [tables] = only(entries, "tables");
    expect(tables?.tables).toEqual({
      node: "L1",
      routes: [
        [8, 2],
        [4, 255],
      ],
      groups: [],
    });
    const [paths] = only(entries, "paths");
    expect(paths?.changed.filter(({ from }) => from === "H1[1]").map(({ dlid }) => dlid)).toEqual([8]);
    expect(paths?.removed).toContainEqual({ from: "H1[1]", to: "H2[1]", dlid: 4 });
  });

  it("has a cut route in one direction, and its repair", () => {
    const { simulation, written } = start();
    written();
    const { fabric } = simulation;
    fabric.nodeById("L1")?.tables?.setRoute(fabric.portNamed("H4").lid, 255);
    expect(only(written(), "paths").map(({ removed }) => removed)).toEqual([
      ["H1[1]", "H2[1]"].map((from) => ({ from, to: "H4[1]", dlid: fabric.portNamed("H4").lid })),
    ]);
    simulation.sm.sweep();
    expect(only(written(), "paths").map(({ changed }) => changed.map(({ from }) => from))).toEqual([
      ["H1[1]", "H2[1]"],
    ]);
  });

  it("writes nothing for a sweep that finds nothing new", () => {
    const { simulation, written } = start();
    written();
    simulation.sm.sweep();
    expect(written()).toEqual([]);
  });

  it("has addresses that come, move and go", () => {
    const { simulation, written } = start();
    written();
    const address = IpAddress.parse("10.0.0.1");
    const port = simulation.fabric.portNamed("H1");
    simulation.addresses.add({ port, address, prefixLength: 24, pkey: PKey.DEFAULT });
    simulation.addresses.move(address, { port: simulation.fabric.portNamed("H2") });
    expect(only(written(), "address").map(({ address: { event, node } }) => [event, node])).toEqual([
      ["add", "H1"],
      ["del", "H1"],
      ["add", "H2"],
    ]);
  });

  it("has paths of partitions that two ports share, none between limited members", () => {
    const { simulation, written } = start();
    written();
    const { fabric } = simulation;
    const [h1, h2] = [fabric.portNamed("H1"), fabric.portNamed("H2")];
    h1.pkeys = [PKey.from(0x7fff), PKey.from(0x8007)];
    h2.pkeys = [PKey.from(0x7fff)];
    for (const port of [h1, h2]) fabric.events.emit({ type: "state", port });
    const [paths] = only(written(), "paths");
    expect(paths?.removed).toContainEqual({ from: "H1[1]", to: "H2[1]", dlid: h2.lid });
    expect(paths?.changed.find(({ from, to }) => from === "H1[1]" && to === "H3[1]")?.pkeys).toEqual(["0x7fff"]);
  });

  it("has each notice that reaches a subscriber", () => {
    const { simulation, services, written } = start();
    new SaClient(simulation, services, "H2").get(
      SaAttribute.INFORM_INFO,
      encodeInformInfo({
        gid: Gid.zero,
        lidRangeBegin: Lid.from(0xffff),
        lidRangeEnd: Lid.zero,
        isGeneric: true,
        subscribe: true,
        type: 0xffff,
        trapNumber: 0xffff,
        qpn: 1,
        respTimeValue: 0,
        producerType: 0xff_ffff,
      }),
      0n,
      MadMethod.SET,
    );
    written();
    const { fabric } = simulation;
    fabric.setLink(fabric.portNamed("H4"), false);
    services.run();
    fabric.faults.set(fabric.portNamed("H1"), { ...NO_FAULT, lossPercent: 100 });
    fabric.setLink(fabric.portNamed("H4"), true);
    services.run();
    // The manager at H1 sent 65, then 64, which was lost.
    expect(only(written(), "notice")).toEqual([
      expect.objectContaining({ end: "H2[1]", trapNumber: 65, issuerLid: 1, gid: "fe80::2:c903:10:31" }),
    ]);
  });

  it("watches nothing when nobody listens, and counts on for the next", () => {
    const { simulation, log, stop, written } = start();
    written();
    simulation.fabric.setLink(simulation.fabric.portNamed("H4"), false);
    const last = written().at(-1)?.seq;
    stop();
    simulation.fabric.setLink(simulation.fabric.portNamed("H4"), true);
    const later: FabricLogEntry[] = [];
    log.listen((entry) => later.push(entry));
    expect(later.map(({ type, seq }) => [type, seq])).toEqual([["snapshot", last]]);
  });
});

describe("event log of a running fabric", () => {
  it("goes to a file, commands included", async () => {
    const dir = tempDir();
    const eventLog = join(dir, "log");
    const fabric = await startFabric({ topology: twoLevel({ hosts: 2 }), dir: join(dir, "f"), eventLog });
    const control = await SimControlClient.connect(fabric.dir);
    await control.request({ op: "status" });
    await control.request({ op: "link", action: "down", end: "H2" });
    const { seq, paths } = await control.request({ op: "paths", from: "H1" });
    expect(paths.map(({ to }) => to)).toEqual(["H1[1]"]);
    await control.close();
    await fabric.close();
    const entries = readFileSync(eventLog, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as FabricLogEntry);
    expect(entries[0]?.type).toBe("snapshot");
    expect(only(entries, "command").map(({ request }) => request)).toEqual([
      { v: 1, op: "link", action: "down", end: "H2" },
    ]);
    expect(entries.at(-1)?.seq).toBe(seq);
  });

  it("has each mode of the SA, and that it was over by itself", () => {
    const { services, simulation, written } = start();
    written();
    simulation.sa.behaviour.set("slow", 100, 30);
    const begun = written();
    services.advance(100);
    expect([...begun, ...written()].map(({ seq: _seq, ...rest }) => rest)).toEqual([
      { type: "sa", atMs: 0, mode: "slow", delayMs: 30 },
      { type: "sa", atMs: 100, mode: "normal" },
    ]);
  });

  it("is a stream that begins with a snapshot", async () => {
    const fabric = await startFabric({ topology: twoLevel({ hosts: 2 }), dir: join(tempDir(), "f") });
    const control = await SimControlClient.connect(fabric.dir);
    const stream = SimControlClient.watchEvents(fabric.dir);
    const first = await stream.next();
    expect(first.value).toMatchObject({ type: "snapshot", seq: 0 });
    await control.request({ op: "sm", action: "reregister" });
    const types: string[] = [];
    for await (const entry of stream) {
      types.push(entry.type);
      if (entry.type === "async-event") break;
    }
    expect(types).toEqual(["command", "sm", "async-event"]);
    await control.close();
    await fabric.close();
  });

  it("that cannot be written is an error with the file's name", async () => {
    const dir = tempDir();
    const options = { topology: twoLevel({ hosts: 2 }), dir: join(dir, "f"), eventLog: join(dir, "none", "log") };
    expect(await rejectionOf(startFabric(options))).toMatchObject({ code: "VERBENA_SIM_EVENT_LOG" });
  });
});
