import type { RdsSocket } from "../src/index.js";
import { bound, message, outcome, receiveAll, seen } from "./conformance/rig.js";
import { UserSpaceRig } from "./conformance/user-space-rig.js";

const PEER = "10.0.0.9";

describe("peers of an address", () => {
  it("are forgotten, longest gone first, when others come and there is nothing for them", async () => {
    const rig = new UserSpaceRig(PEER, { maxPeers: 2 });
    await bound(rig, rig.local[0], 4000);
    const strangers: RdsSocket[] = [];
    for (const host of ["10.1.0.1", "10.1.0.2", "10.1.0.3"]) {
      const other = rig.host(host);
      const socket = other.createSocket();
      strangers.push(socket);
      await socket.bind(host, 4000);
      socket.trySend("x", { to: `${rig.local[0]}:4000` });
      await rig.settle();
      rig.network.leave(host);
      await rig.settle();
    }
    const remotes = rig.stack.info("connections").map(({ remote }) => remote);
    expect(remotes).toEqual(["10.1.0.2", "10.1.0.3"]);
    await rig.close();
  });

  it("are known again by their numbers when they come back: what had come before does not come again", async () => {
    const rig = new UserSpaceRig(PEER, { maxPeers: 1 });
    const receiver = await bound(rig, rig.local[0], 4000);
    const socket = rig.peer.socket();
    await socket.bind(PEER, 4000);
    await rig.peer.appear();
    socket.trySend("before", { to: `${rig.local[0]}:4000` });
    await rig.settle();
    rig.network.withholdsAcks = true;
    socket.trySend("once", { to: `${rig.local[0]}:4000` });
    await rig.settle();
    await rig.peer.vanish();
    // Another takes its place.
    const other = await bound(rig, rig.local[0], 4001);
    const stranger = rig.host("10.1.0.1").createSocket();
    await stranger.bind("10.1.0.1", 4000);
    stranger.trySend("x", { to: `${rig.local[0]}:4001` });
    await rig.settle();
    expect(rig.stack.info("connections").map(({ remote }) => remote)).toEqual(["10.1.0.1"]);
    rig.network.leave("10.1.0.1");
    await rig.settle();
    await rig.peer.appear();
    socket.trySend("twice", { to: `${rig.local[0]}:4000` });
    await rig.settle();
    expect(receiveAll(receiver).map(({ data }) => data.toString())).toEqual(["before", "once", "twice"]);
    expect(receiveAll(other)).toHaveLength(1);
    await rig.close();
  });

  it("that were congested and are forgotten are called by whoever waited for their port", async () => {
    const rig = new UserSpaceRig(PEER, { maxPeers: 1 });
    const receiver = rig.peer.socket({ receiveBufferSize: 2000 });
    await receiver.bind(PEER, 4000);
    await rig.peer.appear();
    const sender = await bound(rig, rig.local[0], 4000);
    sender.trySend(Buffer.alloc(3000), { to: `${PEER}:4000` });
    await rig.settle();
    const waits = sender.send("waited", { to: `${PEER}:4000` });
    await rig.peer.vanish();
    const other = await bound(rig, rig.local[0], 4001);
    other.trySend("x", { to: "10.1.0.1:7" });
    other.cancel();
    await rig.settle();
    expect([await waits, rig.stack.info("sendQueue")]).toMatchObject([6, [{ remote: { address: PEER }, length: 6 }]]);
    await rig.close();
  });

  it("get numbers that go on when they come back, though the clock was set back meanwhile", async () => {
    let micros = 5_000_000;
    const rig = new UserSpaceRig(PEER, { maxPeers: 1, wallClockMicros: () => micros });
    const next = (): unknown => rig.stack.info("connections").map(({ remote, nextTx }) => [remote, nextTx]);
    const sender = await bound(rig, rig.local[0], 4000);
    await rig.peer.socket().bind(PEER, 4000);
    await rig.peer.appear();
    sender.trySend("a", { to: `${PEER}:4000` });
    await rig.settle();
    await rig.peer.vanish();
    sender.trySend("x", { to: "10.1.0.1:7" });
    sender.cancel();
    micros = 4_000_000;
    sender.trySend("b", { to: `${PEER}:4000` });
    // A probe, a message and the answer to the probe of the peer had the three before.
    expect(next()).toEqual([[PEER, 5_000_003n]]);
    await rig.close();
  });

  it("are kept while there is something for them: one more is ENOMEM", async () => {
    const rig = new UserSpaceRig(PEER, { maxPeers: 1 });
    const socket = await bound(rig, rig.local[0], 4000);
    socket.trySend("x", { to: "10.1.0.1:7" });
    expect(outcome(() => socket.trySend("x", { to: "10.1.0.2:7" }))).toBe("ENOMEM");
    socket.cancel();
    expect(outcome(() => socket.trySend("x", { to: "10.1.0.2:7" }))).toBe(1);
    await rig.close();
  });
});

it("what goes to an address that is opened here later follows what was sent there before", async () => {
  const rig = new UserSpaceRig(PEER);
  const [here, there] = rig.local;
  const sender = await bound(rig, here, 4000);
  rig.network.leave(there);
  sender.trySend("first", { to: `${there}:4000` });
  const receiver = await bound(rig, there, 4000);
  sender.trySend("second", { to: `${there}:4000` });
  await rig.settle();
  expect(receiver.tryReceive()).toBeUndefined();
  rig.network.join(there);
  await rig.settle();
  sender.trySend("third", { to: `${there}:4000` });
  const texts = receiveAll(receiver).map((item) => seen(item)?.text);
  expect(texts).toEqual(["first", "second", "third"]);
  await rig.close();
});

it("a transport that was asked for and does not serve an address that is open already is refused, not left out", async () => {
  const rig = new UserSpaceRig(PEER, {}, (network) => [
    network.host("10.0.0.5"),
    { ...network.host("10.0.0.5"), name: "other" },
  ]);
  await bound(rig, "10.0.0.5", 4000);
  const other = rig.socket({ transport: "other" });
  expect(await other.bind("10.0.0.5", 4001).catch((error: unknown) => error)).toMatchObject({
    code: "VERBENA_RDS_ENOPROTOOPT",
    message: expect.stringContaining("memory"),
  });
  const any = await bound(rig, "10.0.0.5", 4001);
  expect(any.transport).toBe("memory");
  await rig.close();
});

it("sends that wait for a congested port count as blocked, those that do not as refused", async () => {
  const rig = new UserSpaceRig(PEER);
  const receiver = await bound(rig, rig.local[0], 2000, { receiveBufferSize: 2000 });
  const sender = await bound(rig, rig.local[0], 4000);
  sender.trySend(Buffer.alloc(3000), { to: `${rig.local[0]}:2000` });
  const counts = (): unknown =>
    rig.stack
      .info("counters")
      .filter(({ name }) => name.startsWith("cong_send"))
      .map(({ name, value }) => `${name} ${value}`);
  expect(outcome(() => sender.trySend("x", { to: `${rig.local[0]}:2000` }))).toBe("ENOBUFS");
  expect(counts()).toEqual(["cong_send_error 1", "cong_send_blocked 0"]);
  const waits = sender.send("y", { to: `${rig.local[0]}:2000` });
  expect(counts()).toEqual(["cong_send_error 1", "cong_send_blocked 1"]);
  expect(message(receiver.tryReceive()).length).toBe(3000);
  expect([await waits, counts()]).toEqual([1, ["cong_send_error 1", "cong_send_blocked 1"]]);
  await rig.close();
});
