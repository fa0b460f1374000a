import { Lid } from "@verbena/ib";
import type { UmadPort } from "../src/index.js";
import { openStub, take } from "./support.js";

// The addon on the stub library of test/cc/stub-umad.cc, whose answers are chosen by the method of a MAD.
const SA = { mgmtClass: 3, classVersion: 1, rmppVersion: 1 } as const;
const TO = { to: { lid: Lid.from(1), qpn: 1 }, timeoutMs: 1000, retries: 0 } as const;

/** A MAD of 256 bytes: method, TID (low half), attribute and modifier filled in. */
function mad(method: number, tid: number, modifier = 0, attribute = 0): Buffer {
  const out = Buffer.alloc(256);
  out[0] = 1;
  out[1] = method;
  out.writeUInt32BE(tid, 12);
  out.writeUInt16BE(attribute, 16);
  out.writeUInt32BE(modifier, 20);
  return out;
}

test("lists ports with everything libibumad tells", async () => {
  await using native = openStub();
  const [first, second] = native.umad.listPorts();
  expect(first).toEqual({
    device: "stub0",
    nodeGuid: 0x0002_c903_0000_0001n,
    portCount: 1,
    port: 1,
    portGuid: 0x0002_c903_0000_0002n,
    gidPrefix: 0xfe80_0000_0000_0000n,
    lid: 9,
    lmc: 0,
    smLid: 1,
    smSl: 0,
    state: "active",
    physState: 5,
    rateGbps: 100,
    capabilityMask: 0x0251_4868,
    pkeys: [0xffff, 0x8001],
    linkLayer: "InfiniBand",
  });
  expect(second?.device).toBe("pretend0");
  expect(native.umad.queryPort("stub0", 1)).toEqual(first);
  expect(native.umad.queryPort("stub0", 2)).toBeUndefined();
  expect(native.umad.queryPort("stub9", 1)).toBeUndefined();
  expect(native.umad.queryPort("a".repeat(300), 1)).toBeUndefined();
});

// The same on a descriptor that the loop watches and on a pretend one, where a thread waits.
describe.each(["stub0", "pretend0"])("a port of %s", (device) => {
  const native = openStub();
  let port: UmadPort;
  beforeEach(() => {
    port = native.umad.openPort(device, 1);
  });
  afterEach(() => port.close());
  afterAll(() => native.close());

  test("request and answer", async () => {
    const agent = port.registerAgent(SA);
    agent.send(mad(1, 0x77), TO);
    const [answer] = await take(agent.messages(), 1);
    expect(answer?.status).toBe(0);
    expect(answer?.mad.length).toBe(256);
    expect(answer?.mad[1]).toBe(0x81);
    expect(answer?.mad.readUInt32BE(12)).toBe(0x77);
    expect(answer?.mad.readUInt32BE(8)).toBe(agent.agentId);
    expect(answer?.from).toMatchObject({ lid: 1, qpn: 1 });
  });

  test("a request that nobody answers comes back with status 110", async () => {
    const agent = port.registerAgent(SA);
    agent.send(mad(0x7f, 1), TO);
    expect(await take(agent.messages(), 1)).toMatchObject([{ status: 110, mad: { length: 24 } }]);
  });

  test("a table larger than any buffer so far arrives whole", async () => {
    const agent = port.registerAgent(SA);
    agent.send(mad(0x12, 1, 3_000_000), TO);
    agent.send(mad(1, 2), TO);
    const [table, next] = await take(agent.messages(), 2);
    expect(table?.mad.length).toBe(3_000_000);
    expect(table?.mad[2_999_999]).toBe(0x5a);
    expect(next?.mad.readUInt32BE(12)).toBe(2);
  });

  test("a thousand answers keep their order, whatever the reader's pace", async () => {
    const agent = port.registerAgent(SA);
    for (let tid = 0; tid < 1000; tid++) agent.send(mad(1, tid), TO);
    const answers = await take(agent.messages(), 1000);
    expect(answers.map((answer) => answer.mad.readUInt32BE(12))).toEqual(Array.from({ length: 1000 }, (_, tid) => tid));
  });

  test("agents of one port get their own answers", async () => {
    const first = port.registerAgent(SA);
    const second = port.registerAgent(SA);
    second.send(mad(1, 2), TO);
    first.send(mad(1, 1), TO);
    expect((await take(first.messages(), 1))[0]?.mad.readUInt32BE(12)).toBe(1);
    expect((await take(second.messages(), 1))[0]?.mad.readUInt32BE(12)).toBe(2);
  });

  test("a device that goes away fails the iterator with the errno", async () => {
    const agent = port.registerAgent(SA);
    agent.send(mad(0x7e, 1), TO);
    await expect(agent.messages().next()).rejects.toMatchObject({
      code: "VERBENA_NATIVE_RECEIVE",
      errno: 19,
      syscall: "umad_recv",
    });
  });

  test("close during a pending wait ends the iterator; twice is once", async () => {
    const agent = port.registerAgent(SA);
    const pending = agent.messages().next();
    await Promise.all([port.close(), port.close()]);
    expect(await pending).toEqual({ done: true, value: undefined });
    expect(() => agent.send(mad(1, 1), TO)).toThrow(expect.objectContaining({ code: "VERBENA_NATIVE_CLOSED" }));
  });

  test("an agent that closes while answers are under way leaves the port working", async () => {
    const agent = port.registerAgent(SA);
    for (let tid = 0; tid < 100; tid++) agent.send(mad(1, tid), TO);
    const messages = agent.messages();
    await messages.next();
    const other = port.registerAgent({ ...SA, mgmtClass: 4 });
    await agent.close();
    expect(await messages.next()).toEqual({ done: true, value: undefined });
    other.send(mad(1, 777), TO);
    expect((await take(other.messages(), 1))[0]?.mad.readUInt32BE(12)).toBe(777);
  });

  test("what the library refuses is a coded error with its errno", () => {
    expect(() => port.registerAgent({ mgmtClass: 0x81, classVersion: 1 })).toThrow(
      expect.objectContaining({ code: "VERBENA_NATIVE_REGISTER", errno: 1, syscall: "umad_register" }),
    );
  });

  test("32 agents fit, the 33rd does not", () => {
    for (let i = 0; i < 32; i++) port.registerAgent(SA);
    expect(() => port.registerAgent(SA)).toThrow(
      expect.objectContaining({
        code: "VERBENA_NATIVE_REGISTER",
        errno: 12,
        hint: expect.stringContaining("no room for more agents"),
      }),
    );
  });
});

test("ports that cannot be opened", async () => {
  await using native = openStub();
  expect(() => native.umad.openPort("stub9", 1)).toThrow(
    expect.objectContaining({ code: "VERBENA_NATIVE_NO_DEVICE", errno: 19 }),
  );
  expect(() => native.umad.openPort("stub0", 2)).toThrow(
    expect.objectContaining({ code: "VERBENA_NATIVE_OPEN", errno: 13 }),
  );
});

test("closing the services closes what is open", async () => {
  const native = openStub();
  const pending = [
    native.umad.openPort("stub0", 1).registerAgent(SA).messages().next(),
    native.umad.openPort("pretend0", 1).registerAgent(SA).messages().next(),
  ];
  await native.close();
  expect(await Promise.all(pending)).toEqual([
    { done: true, value: undefined },
    { done: true, value: undefined },
  ]);
});
