import { CONGESTION_MONITOR_SIZE, congestionBit, congestionMask, type RdsSocket } from "../src/index.js";
import { bound, LIMIT, message, outcome, receiveAll, result, seen, sendUntilRefused } from "./conformance/rig.js";
import { UserSpaceRig } from "./conformance/user-space-rig.js";

// The statements of AIX' page about RDS, by their row in the table of docs/rds.md: messages, readiness, congestion, reliability.
describe("AIX table, messages", () => {
  const rig = new UserSpaceRig("10.0.0.9");
  const here = rig.local[0];
  const peer = (port: number): string => `10.0.0.9:${port}`;
  const to = `${here}:4000`;
  const pair = async () => ({ receiver: await bound(rig, here, 4000), sender: await bound(rig, here, 4100) });
  const peerAt = async (port: number): Promise<RdsSocket> => {
    const socket = rig.peer.socket();
    await socket.bind("10.0.0.9", port);
    return socket;
  };
  const texts = (socket: RdsSocket): readonly string[] => receiveAll(socket).map(({ data }) => data.toString());
  const congested = async () => {
    const receiver = await bound(rig, here, 4000, { receiveBufferSize: LIMIT });
    const sender = await bound(rig, here, 4100);
    return { receiver, sender, refuse: () => expect(sendUntilRefused(sender, to, 1000)[1]).toBe("ENOBUFS") };
  };
  afterEach(() => rig.reset());
  afterAll(() => rig.close());

  it("row 31: cancel removes what was sent to a destination", async () => {
    const { sender } = await pair();
    sender.trySend("x", { to: peer(7) });
    sender.cancel(peer(7));
    expect(await sender.info("sendQueue")).toEqual([]);
  });

  it("row 33: a full queue makes a send wait, or gives EAGAIN", async () => {
    const sender = await bound(rig, here, 4100, { sendBufferSize: LIMIT });
    expect(sendUntilRefused(sender, peer(7), 4000)[1]).toBe("EAGAIN");
    const sending = sender.send("y", { to: peer(8) });
    sender.cancel(peer(7));
    expect(await rig.run(sending)).toBe(1);
  });

  it("row 34: a congested destination makes a send wait, or gives ENOBUFS", async () => {
    const { receiver, sender, refuse } = await congested();
    refuse();
    const sending = sender.send("late", { to });
    await rig.settle();
    receiveAll(receiver);
    expect(await rig.run(sending)).toBe(4);
  });

  it("rows 35, 44: an empty message needs room as others do, is received, and shows its sender", async () => {
    const { receiver, sender } = await pair();
    sender.trySend("", { to });
    expect(seen(receiver.tryReceive())).toEqual({ text: "", from: `${here}:4100` });
    sender.sendBufferSize = LIMIT;
    sendUntilRefused(sender, peer(7), 4000);
    expect(outcome(() => sender.trySend("", { to }))).toBe("EAGAIN");
  });

  it("row 36: what is for a port that nobody has is discarded in silence", async () => {
    const { sender } = await pair();
    expect(sender.trySend("x", { to: `${here}:9` })).toBe(1);
  });

  it("rows 37, 38: messages of one sender come in order, with its address", async () => {
    const { receiver, sender } = await pair();
    for (const text of ["1", "2", "3"]) sender.trySend(text, { to });
    const all = [1, 2, 3].map(() => seen(receiver.tryReceive()));
    expect(all).toEqual(["1", "2", "3"].map((text) => ({ text, from: `${here}:4100` })));
  });

  it("row 39: a peek leaves the message, and does not protect congestion updates", async () => {
    const { receiver, sender, refuse } = await congested();
    sender.monitorCongestion(true);
    refuse();
    receiveAll(receiver);
    expect(await sender.peek()).toMatchObject({ type: "congestion" });
    expect(sender.tryReceive()).toBeUndefined();
    sender.trySend("x", { to });
    expect([seen(await receiver.peek())?.text, seen(receiver.tryReceive())?.text]).toEqual(["x", "x"]);
  });

  it("row 40: the number of waiting messages has no limit of its own", async () => {
    const { receiver, sender } = await pair();
    for (let count = 0; count < 10_000; count += 1) sender.trySend("", { to });
    expect(receiveAll(receiver)).toHaveLength(10_000);
  });

  it("rows 41, 42: of a message too long the rest is discarded, and its length told", async () => {
    const { receiver, sender } = await pair();
    sender.trySend("hello world", { to });
    const item = message(receiver.tryReceive({ maxLength: 5 }));
    expect([item.data.toString(), item.length, receiver.tryReceive()]).toEqual(["hello", 11, undefined]);
  });

  it("row 43: the size of the next message can be asked for", async () => {
    const { receiver, sender } = await pair();
    sender.trySend("hello world", { to });
    expect([receiver.nextSize(), receiver.nextSize()]).toEqual([11, 11]);
  });

  it("row 45: control messages are typed; unknown ones cannot be sent", async () => {
    const { receiver, sender } = await pair();
    receiver.timestamps = true;
    sender.trySend("x", { to });
    expect(message(receiver.tryReceive()).control.map(({ type }) => type)).toEqual(["timestamp"]);
    const control = [{ type: "unknown" as const, level: 276, code: 99, data: Buffer.alloc(4) }];
    expect(outcome(() => sender.trySend("x", { to, control }))).toBe("EINVAL");
  });

  it("row 46: readable means a message or an update, never in vain", async () => {
    const { receiver, sender, refuse } = await congested();
    refuse();
    receiveAll(receiver);
    expect(sender.readiness.readable).toBe(false);
    sender.trySend("x", { to });
    expect(receiver.readiness.readable).toBe(true);
  });

  it("row 47: writable means room in the send queue", async () => {
    const sender = await bound(rig, here, 4100, { sendBufferSize: LIMIT });
    expect(sender.readiness.writable).toBe(true);
    sendUntilRefused(sender, peer(7), 4000);
    expect(sender.readiness.writable).toBe(false);
  });

  it("rows 48, 49: a congested destination refuses a socket that is writable; uncongested tells when to try again", async () => {
    const { receiver, sender, refuse } = await congested();
    refuse();
    expect(sender.readiness).toMatchObject({ writable: true, uncongested: false });
    const woken = sender.uncongested();
    await rig.settle();
    receiveAll(receiver);
    await rig.run(woken);
    expect(sender.trySend("x", { to })).toBe(1);
  });

  it("row 50: the mask of monitored ports is set and can be asked for", async () => {
    const { sender } = await pair();
    sender.monitorCongestion(congestionMask(4000) | congestionMask(5));
    expect(sender.monitoredPorts).toBe((1n << 32n) | (1n << 5n));
  });

  it("row 51: ports that overlap the mask make the socket readable, others do not", async () => {
    const { receiver, sender, refuse } = await congested();
    sender.monitorCongestion(congestionMask(4001));
    refuse();
    receiveAll(receiver);
    expect(sender.readiness.readable).toBe(false);
    sender.monitorCongestion(congestionMask(4000));
    refuse();
    receiveAll(receiver);
    expect(sender.readiness.readable).toBe(true);
  });

  it("row 52: an update comes alone, ahead of data", async () => {
    const { receiver, sender, refuse } = await congested();
    sender.monitorCongestion(true);
    refuse();
    receiver.trySend("data", { to: `${here}:4100` });
    receiveAll(receiver);
    expect(sender.tryReceive()).toEqual({ type: "congestion", ports: congestionMask(4000) });
    expect(seen(sender.tryReceive())?.text).toBe("data");
  });

  it("row 53: SIZE, BIT and MASK are there, in 64 bits", () => {
    expect([CONGESTION_MONITOR_SIZE, congestionBit(127), congestionMask(127)]).toEqual([64, 63, 1n << 63n]);
  });

  it("row 54: cancel concerns what is unsent and what is unacknowledged", async () => {
    const { sender } = await pair();
    rig.network.withholdsAcks = true;
    await peerAt(7);
    await rig.peer.appear();
    sender.trySend("on its way", { to: peer(7) });
    await rig.settle();
    const own = async (): Promise<readonly number[]> =>
      (await sender.info("retransmitQueue")).filter(({ local }) => local.port === 4100).map(({ length }) => length);
    expect(await own()).toEqual([10]);
    sender.cancel(peer(7));
    expect(await own()).toEqual([]);
    rig.network.withholdsAcks = false;
  });

  it("row 55: cancel without address drops all", async () => {
    const { sender } = await pair();
    for (const port of [7, 8]) sender.trySend("x", { to: peer(port) });
    sender.cancel();
    expect((await sender.info("sendQueue")).filter(({ local }) => local.port === 4100)).toEqual([]);
  });

  it("rows 56, 60, 61: over cuts and lost acknowledgements every message is seen once, in order", async () => {
    const { sender } = await pair();
    const receiver = await peerAt(7);
    await rig.peer.appear();
    const got: string[] = [];
    for (let number = 0; number < 200; number += 1) {
      rig.network.withholdsAcks = number % 3 === 0;
      sender.trySend(String(number), { to: peer(7) });
      if (number % 2 === 0) await rig.settle();
      if (number % 7 === 0) rig.network.cut(here);
      got.push(...texts(receiver));
    }
    rig.network.withholdsAcks = false;
    rig.network.cut(here);
    await rig.peer.appear();
    await rig.run(sender.drain());
    got.push(...texts(receiver));
    expect(got).toEqual(Array.from({ length: 200 }, (_, number) => String(number)));
  });

  it("row 57: when in doubt the sender goes on trying", async () => {
    const { sender } = await pair();
    sender.trySend("patience", { to: peer(7) });
    await rig.pass(3_600_000);
    const receiver = await peerAt(7);
    await rig.peer.appear();
    expect(texts(receiver)).toEqual(["patience"]);
  });

  it("row 58: closing the sender cancels; drain before it waits", async () => {
    const { sender } = await pair();
    sender.trySend("kept", { to: peer(7) });
    const drained = sender.drain();
    const receiver = await peerAt(7);
    await rig.peer.appear();
    await rig.run(drained);
    expect(texts(receiver)).toEqual(["kept"]);
    await rig.peer.vanish();
    sender.trySend("lost", { to: peer(7) });
    await sender.close();
    await rig.peer.appear();
    expect(texts(receiver)).toEqual([]);
  });

  it("row 59: what a closed receiver had not read is not sent again", async () => {
    const { receiver, sender } = await pair();
    sender.trySend("unread", { to });
    await receiver.close();
    const next = await bound(rig, here, 4000);
    await rig.settle();
    expect([next.tryReceive(), await result(receiver.receive())]).toEqual([undefined, "CLOSED"]);
  });
});
