import { Lid } from "@verbena/ib";
import type { Native } from "../src/index.js";
import { openStub, take } from "./support.js";

// The addon on the stub library of test/cc/stub-verbs.cc; a MAD of method 0x7d raises an event there.
const SA = { mgmtClass: 3, classVersion: 1 } as const;
const TO = { to: { lid: Lid.from(1), qpn: 1 }, timeoutMs: 0, retries: 0 } as const;

let native: Native;
beforeEach(() => {
  native = openStub();
});
afterEach(() => native.close());

async function raise(...events: readonly (readonly [number, number])[]): Promise<void> {
  await using port = native.umad.openPort("stub0", 1);
  const agent = port.registerAgent(SA);
  for (const [type, portNumber] of events) {
    const mad = Buffer.alloc(256);
    mad[1] = 0x7d;
    mad.writeUInt16BE(type, 16);
    mad.writeUInt32BE(portNumber, 20);
    agent.send(mad, TO);
  }
}

test("devices and their attributes", async () => {
  expect(native.verbs.devices()).toEqual([
    { name: "stub0", nodeGuid: 0x0002_c903_0000_0001n, nodeType: "ca", transport: "ib" },
  ]);
  await using context = native.verbs.open("stub0");
  expect(context.queryDevice()).toEqual({
    nodeGuid: 0x0002_c903_0000_0001n,
    sysImageGuid: 0x0002_c903_0000_0000n,
    firmware: "1.2.3",
    vendorId: 0x2c9,
    vendorPartId: 4123,
    portCount: 1,
    maxPkeys: 2,
  });
  expect(context.queryPort(1)).toEqual({
    port: 1,
    state: "active",
    physState: 5,
    maxMtu: 5,
    activeMtu: 4,
    gidTableLength: 4,
    pkeyTableLength: 3,
    lid: 9,
    lmc: 1,
    smLid: 1,
    smSl: 0,
    subnetTimeout: 18,
    activeWidth: 2,
    activeSpeed: 32,
    capabilityMask: 0x0251_4868,
    linkLayer: "infiniband",
  });
  // Zero and unreadable GIDs are left out; P_Keys keep their places.
  expect(context.gids(1)).toEqual([
    0xfe80_0000_0000_0000_0002_c903_0000_0002n,
    0xfe80_0000_0000_0000_0002_c903_0000_0004n,
  ]);
  expect(context.pkeys(1)).toEqual([0xffff, 0, 0x8001]);
});

test("a GID by its index in the port's table, which counts the empty entries", async () => {
  await using context = native.verbs.open("stub0");
  expect([0, 1, 2, 3].map((index) => context.queryGid(1, index))).toEqual([
    0xfe80_0000_0000_0000_0002_c903_0000_0002n,
    0n,
    0xfe80_0000_0000_0000_0002_c903_0000_0004n,
    0n,
  ]);
  for (const index of [-1, 0.5, 4]) {
    expect(() => context.queryGid(1, index)).toThrow(expect.objectContaining({ code: "VERBENA_NATIVE_OPTION" }));
  }
  expect(() => context.queryGid(2, 0)).toThrow(
    expect.objectContaining({ code: "VERBENA_NATIVE_QUERY", errno: 22, syscall: "ibv_query_port" }),
  );
});

test("a port that is none is a coded error with errno", async () => {
  await using context = native.verbs.open("stub0");
  for (const query of [() => context.queryPort(2), () => context.gids(2), () => context.pkeys(2)]) {
    expect(query).toThrow(
      expect.objectContaining({ code: "VERBENA_NATIVE_QUERY", errno: 22, syscall: "ibv_query_port" }),
    );
  }
  expect(() => native.verbs.open("mlx5_9")).toThrow(expect.objectContaining({ code: "VERBENA_NATIVE_NO_DEVICE" }));
});

test("events arrive in order, unknown ones as data, all acknowledged", async () => {
  await using context = native.verbs.open("stub0");
  const events = context.events();
  await raise([17, 1], [9, 1], [99, 0], [8, 0]);
  expect(await take(events, 4)).toEqual([
    { type: "client-reregister", port: 1 },
    { type: "port-active", port: 1 },
    { type: "unknown", event: 99 },
    { type: "device-fatal" },
  ]);
});

test("every context hears of an event, one reader each", async () => {
  await using first = native.verbs.open("stub0");
  await using second = native.verbs.open("stub0");
  const both = [first.events(), second.events()];
  expect(() => first.events()).toThrow(expect.objectContaining({ code: "VERBENA_NATIVE_BUSY" }));
  await raise([11, 1]);
  expect(await Promise.all(both.map((events) => take(events, 1)))).toEqual([
    [{ type: "lid-change", port: 1 }],
    [{ type: "lid-change", port: 1 }],
  ]);
});

test("more events than a queue holds", async () => {
  await using context = native.verbs.open("stub0");
  const events = context.events();
  await raise(...Array.from({ length: 600 }, (_, i) => [9, i % 200] as const));
  const got = await take(events, 600);
  expect(got.map((event) => (event.type === "port-active" ? event.port : -1))).toEqual(
    Array.from({ length: 600 }, (_, i) => i % 200),
  );
});

test("close during a wait ends the iterator, twice is once, and nothing works after it", async () => {
  const context = native.verbs.open("stub0");
  const pending = context.events().next();
  await context.close();
  await context.close();
  expect(await pending).toEqual({ done: true, value: undefined });
  const closed = expect.objectContaining({ code: "VERBENA_NATIVE_CLOSED" });
  expect(() => context.queryDevice()).toThrow(closed);
  expect(() => context.events()).toThrow(closed);
});
