import { Guid, Lid } from "@verbena/ib";
import { silentLogger } from "../host/default-services.js";
import { LossBook } from "../losses/loss-book.js";
import { FakeNative, VirtualClock } from "../testing/index.js";
import { choosePortSource } from "./choose-source.js";
import { type PortChange, PortTable } from "./port-table.js";

const guid = (low: number): Guid => Guid.from(0x100000n + BigInt(low));

function setUp(verbs = true) {
  const clock = new VirtualClock();
  const native = new FakeNative({
    clock,
    verbs,
    devices: [
      {
        name: "sim0",
        nodeGuid: guid(0),
        ports: [
          { port: 1, portGuid: guid(1), lid: Lid.from(2) },
          { port: 2, portGuid: guid(2), lid: Lid.from(3), state: "down" },
        ],
      },
      { name: "sim1", nodeGuid: guid(8), ports: [{ port: 1, portGuid: guid(9), lid: Lid.from(4) }] },
    ],
  });
  const log: string[] = [];
  const onChange = (change: PortChange): void => {
    const { device, port, generation } = change.port;
    log.push(`${change.type} ${device}/${port} g${generation}${"signal" in change ? ` ${change.signal}` : ""}`);
  };
  const lines: string[] = [];
  const warn = (message: string): void => void lines.push(message);
  const source = choosePortSource(native, clock, { ...silentLogger, warn }, new LossBook({ ...silentLogger, warn }));
  const table = new PortTable(source, onChange, silentLogger);
  table.start();
  return { clock, native, log, table, source, lines };
}

describe.each([
  ["verbs", true],
  ["umad", false],
])("PortTable over %s", (kind, verbs) => {
  it("reports active ports and orders devices last opened first", () => {
    const { log, table, source } = setUp(verbs);
    expect(source.kind).toBe(kind);
    expect(log).toEqual(["opened sim0/1 g1", "opened sim1/1 g2"]);
    expect(table.active().map((port) => `${port.device}/${port.port}`)).toEqual(["sim1/1", "sim0/1"]);
    expect(table.get("sim0", 2)).toBeUndefined();
  });

  it("reads the same values from either library", () => {
    const { table } = setUp(verbs);
    expect(table.get("sim0", 1)).toMatchObject({
      nodeGuid: guid(0),
      portGuid: guid(1),
      portCount: 2,
      lid: 2,
      smLid: 1,
      activeMtu: 4,
      activeRate: 7,
      pkeys: [0xffff],
      linkLayer: "infiniband",
      generation: 1,
    });
  });

  it("finds what changed when told to look", () => {
    const { native, log, table } = setUp(verbs);
    log.length = 0;
    native.set("sim0", 1, { lid: Lid.from(12) });
    native.set("sim0", 2, { state: "active" });
    native.plug({ name: "sim2", nodeGuid: guid(16), ports: [{ port: 1, portGuid: guid(17) }] });
    table.rescan();
    expect([...log].sort()).toEqual(
      ["closed sim0/1 g1", "opened sim0/1", "opened sim0/2", "opened sim2/1"]
        .sort()
        .map((line) => expect.stringContaining(line) as unknown),
    );
    expect(table.active()[0]?.device).toBe("sim2");
  });
});

describe("PortTable on events", () => {
  it("closes on port-err and opens again on port-active with a new generation", async () => {
    const { native, log, clock, table } = setUp();
    log.length = 0;
    native.linkDown("sim0", 1);
    await clock.settle();
    expect(table.get("sim0", 1)).toBeUndefined();
    native.linkUp("sim0", 1);
    native.emit("sim0", { type: "port-active", port: 1 });
    await clock.settle();
    expect(log).toEqual(["closed sim0/1 g1", "opened sim0/1 g3"]);
  });

  it("treats a flap it never saw as a flap", async () => {
    const { native, log, clock } = setUp();
    log.length = 0;
    native.emit("sim0", { type: "port-err", port: 1 });
    await clock.settle();
    expect(log).toEqual(["closed sim0/1 g1", "opened sim0/1 g3"]);
  });

  it("keeps the endpoints when only the SM moves, and reads its LID again", async () => {
    const { native, log, clock, table } = setUp();
    log.length = 0;
    native.changeSm("sim0", 1, Lid.from(77));
    await clock.settle();
    expect(log).toEqual(["changed sim0/1 g3 sm-change"]);
    expect(table.get("sim0", 1)?.smLid).toBe(77);
  });

  it("loses a device that reports a fatal error and finds it again by rescan", async () => {
    const { native, log, clock, table } = setUp();
    log.length = 0;
    native.emit("sim0", { type: "device-fatal" });
    await clock.settle();
    table.rescan();
    expect(log).toEqual(["closed sim0/1 g1", "opened sim0/1 g3"]);
  });

  it("finds a device that comes, or comes back, without being told to look", async () => {
    const { native, log, clock, table } = setUp();
    log.length = 0;
    native.emit("sim0", { type: "device-fatal" });
    await clock.settle();
    expect(log).toEqual(["closed sim0/1 g1"]);
    native.plug({ name: "sim2", nodeGuid: guid(16), ports: [{ port: 1, portGuid: guid(17) }] });
    await clock.advance(5000);
    expect(log).toEqual(["closed sim0/1 g1", "opened sim0/1 g3", "opened sim2/1 g4"]);
    await table.close();
    expect(clock.pending).toBe(0);
  });

  it("says once that it cannot list devices, and when one is lost or found", async () => {
    const { native, clock, table, lines } = setUp();
    const list = native.verbs.devices.bind(native.verbs);
    native.verbs.devices = () => {
      throw new Error("no fabric");
    };
    native.emit("sim0", { type: "device-fatal" });
    await clock.advance(20_000);
    native.verbs.devices = list;
    const open = native.verbs.open.bind(native.verbs);
    native.verbs.open = () => {
      throw new Error("not permitted");
    };
    await clock.advance(20_000);
    native.verbs.open = open;
    await clock.advance(5000);
    expect(lines).toEqual([
      "device lost",
      "libibverbs lists no devices",
      "function lost: device sim0, with all its ports",
      "function is back: device sim0, with all its ports",
      "device found",
    ]);
    await table.close();
  });

  it("passes events it does not know to the providers as data", async () => {
    const { native, log, clock } = setUp();
    log.length = 0;
    native.emit("sim1", { type: "unknown", event: 4711 });
    await clock.settle();
    expect(log).toEqual(["changed sim1/1 g2 unknown"]);
  });

  it("ignores ports that are not InfiniBand", async () => {
    const { native, log, clock } = setUp();
    native.set("sim1", 1, { linkLayer: "ethernet" });
    log.length = 0;
    native.emit("sim1", { type: "gid-change", port: 1 });
    await clock.settle();
    expect(log).toEqual(["closed sim1/1 g2"]);
  });
});

describe("PortTable without events", () => {
  it("lives on when the library fails, and looks again", async () => {
    const { native, log, clock, table } = setUp(false);
    log.length = 0;
    const listPorts = native.umad.listPorts.bind(native.umad);
    native.umad.listPorts = () => {
      throw new Error("no umad");
    };
    native.set("sim1", 1, { state: "down" });
    await clock.advance(5000);
    expect(log).toEqual(["closed sim1/1 g2"]);
    native.umad.listPorts = listPorts;
    native.set("sim1", 1, { state: "active" });
    await clock.advance(5000);
    expect(table.active()).toHaveLength(2);
    await table.close();
  });

  it("goes over to libibverbs, and its events, as soon as that lists a device", async () => {
    const { native, log, clock, table, source } = setUp(false);
    log.length = 0;
    native.verbs.visible = true;
    await clock.advance(5000);
    expect(source.kind).toBe("verbs");
    expect(log).toEqual(["closed sim0/1 g1", "closed sim1/1 g2", "opened sim0/1 g3", "opened sim1/1 g4"]);
    native.linkDown("sim0", 1);
    await clock.settle();
    expect(log.at(-1)).toBe("closed sim0/1 g3");
    await table.close();
    expect(clock.pending).toBe(0);
  });

  it("reads ports again at a low rate", async () => {
    const { native, log, clock, table } = setUp(false);
    log.length = 0;
    native.linkDown("sim0", 1);
    await clock.advance(5000);
    expect(log).toEqual(["closed sim0/1 g1"]);
    await table.close();
    expect(clock.pending).toBe(0);
    expect(log).toEqual(["closed sim0/1 g1", "closed sim1/1 g2"]);
  });
});
