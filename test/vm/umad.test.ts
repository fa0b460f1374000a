import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { type Gid, Lid } from "@verbena/ib";
import {
  type MadAddress,
  type NativeServices,
  openNative,
  type UmadAgent,
  type UmadMessage,
  type UmadPort,
} from "@verbena/native";

/** A vendor class that nobody else serves here. */
const VENDOR = 0x0a;
const GET = 0x01;
const TRAP_REPRESS = 0x07;
const GET_RESP = 0x81;

/** A MAD of 256 bytes, IBA 13.4.2: class, version 1, method, transaction ID (low half). */
function mad(mgmtClass: number, method: number, tid: number): Buffer {
  const out = Buffer.alloc(256);
  out.set([1, mgmtClass, 1, method]);
  out.writeUInt32BE(tid, 12);
  return out;
}

/** To queue pair 1 of a RoCE port. GID index 0 is the IPv6 one: only with it does the kernel match answers to requests. */
const to = (gid: Gid): MadAddress => ({
  lid: Lid.from(0),
  qpn: 1,
  grh: { gid, gidIndex: 0, hopLimit: 1, trafficClass: 0, flowLabel: 0 },
});

async function next(agent: UmadAgent): Promise<UmadMessage> {
  const result = await agent.messages().next();
  assert(result.done !== true);
  return result.value;
}

describe("umad of a real kernel", () => {
  let native: NativeServices;
  let near: UmadPort;
  let far: UmadPort;
  let gids: Readonly<Record<"near" | "far", Gid>>;

  before(async () => {
    native = openNative();
    const firstGid = async (device: string): Promise<Gid> => {
      await using context = native.verbs.open(device);
      const [gid] = context.gids(1);
      assert(gid !== undefined);
      return gid;
    };
    gids = { near: await firstGid("rxe0"), far: await firstGid("rxe1") };
  });
  after(() => native.close());
  beforeEach(() => {
    near = native.umad.openPort("rxe0", 1);
    far = native.umad.openPort("rxe1", 1);
  });
  afterEach(async () => {
    await near.close();
    await far.close();
  });

  test("a request goes from port to port, and the answer comes back to the agent that asked", async () => {
    const server = far.registerAgent({ mgmtClass: VENDOR, classVersion: 1, methods: [GET] });
    const client = near.registerAgent({ mgmtClass: VENDOR, classVersion: 1 });
    const bystander = near.registerAgent({ mgmtClass: VENDOR, classVersion: 1 });
    const unasked = bystander.messages().next();

    client.send(mad(VENDOR, GET, 0x77), { to: to(gids.far), timeoutMs: 10_000, retries: 2 });
    const request = await next(server);
    assert.equal(request.status, 0);
    assert.equal(request.from.qpn, 1);
    assert.equal(request.from.grh?.gid, gids.near);
    // The kernel put the sender's agent into the high half of the transaction ID.
    assert.equal(request.mad.readUInt32BE(12), 0x77);

    const answer = Buffer.from(request.mad);
    answer[3] = GET_RESP;
    answer[255] = 0x5a;
    server.send(answer, { to: to(gids.near), timeoutMs: 0, retries: 0 });
    const answered = await next(client);
    assert.equal(answered.status, 0);
    assert.equal(answered.from.grh?.gid, gids.far);
    assert.deepEqual([answered.mad.length, answered.mad[3], answered.mad[255]], [256, GET_RESP, 0x5a]);
    assert.equal(answered.mad.readUInt32BE(12), 0x77);

    await bystander.close();
    assert.deepEqual(await unasked, { done: true, value: undefined });
  });

  test("a request that nobody answers comes back with status 110 (ETIMEDOUT) after all tries", async () => {
    const agent = near.registerAgent({ mgmtClass: VENDOR, classVersion: 1 });
    // The kernel itself refuses a Get or a Set that no agent takes; a TrapRepress it drops.
    agent.send(mad(VENDOR, TRAP_REPRESS, 0x1234), { to: to(gids.far), timeoutMs: 50, retries: 2 });
    const returned = await next(agent);
    assert.equal(returned.status, 110);
    assert.equal(returned.mad.readUInt32BE(12), 0x1234);
  });

  test("a closed agent's request under way does not come back to another", async () => {
    const leaving = near.registerAgent({ mgmtClass: VENDOR, classVersion: 1 });
    leaving.send(mad(VENDOR, TRAP_REPRESS, 1), { to: to(gids.far), timeoutMs: 60_000, retries: 0 });
    await leaving.close();
    const agent = near.registerAgent({ mgmtClass: VENDOR, classVersion: 1 });
    agent.send(mad(VENDOR, TRAP_REPRESS, 2), { to: to(gids.far), timeoutMs: 50, retries: 0 });
    const returned = await next(agent);
    assert.deepEqual([returned.status, returned.mad.readUInt32BE(12)], [110, 2]);
  });

  test("the methods of a class belong to one agent of a port; they are free again when it closes", async () => {
    const options = { mgmtClass: VENDOR, classVersion: 1, methods: [GET] };
    const first = near.registerAgent(options);
    assert.throws(() => near.registerAgent(options), {
      code: "VERBENA_NATIVE_REGISTER",
      errno: 22,
      syscall: "umad_register",
      hint: /Another program may hold the same class and methods/,
    });
    near.registerAgent({ mgmtClass: VENDOR, classVersion: 1 }); // answers only: no conflict
    far.registerAgent(options); // another port: none
    await first.close();
    near.registerAgent(options);
  });

  test("32 agents fit on a port; the 33rd is refused with a hint about agents, not memory", () => {
    for (let i = 0; i < 32; i++) near.registerAgent({ mgmtClass: VENDOR, classVersion: 1 });
    assert.throws(() => near.registerAgent({ mgmtClass: VENDOR, classVersion: 1 }), {
      code: "VERBENA_NATIVE_REGISTER",
      errno: 12,
      hint: /no room for more agents \(32\)/,
    });
  });

  test("an Ethernet port has no subnet management class, and takes no message without a GRH", () => {
    for (const mgmtClass of [0x01, 0x81]) {
      assert.throws(() => near.registerAgent({ mgmtClass, classVersion: 1 }), {
        code: "VERBENA_NATIVE_REGISTER",
        errno: 93,
        hint: /Ethernet \(RoCE\) port/,
      });
    }
    const agent = near.registerAgent({ mgmtClass: VENDOR, classVersion: 1 });
    const withoutGrh = { to: { lid: Lid.from(1), qpn: 1 }, timeoutMs: 50, retries: 0 };
    assert.throws(() => agent.send(mad(VENDOR, GET, 1), withoutGrh), {
      code: "VERBENA_NATIVE_SEND",
      errno: 22,
      hint: /Ethernet \(RoCE\) port/,
    });
  });

  test("a device or port that is not there is called so", () => {
    for (const [device, port] of [["rxe7", 1] as const, ["rxe0", 2] as const]) {
      assert.throws(() => native.umad.openPort(device, port), {
        code: "VERBENA_NATIVE_NO_DEVICE",
        message: new RegExp(`no RDMA device ${device} port ${port}`),
      });
    }
  });
});
