import { LIMIT, outcome, receiveAll, result, seen, sendUntilRefused } from "../conformance/rig.js";
import { HERE, PEER, Programs } from "./programs.js";

describe("a stack that goes and comes back", () => {
  let programs: Programs;
  beforeEach(() => {
    programs = new Programs();
  });
  afterEach(() => programs.close());
  const peer = `${PEER}:7`;
  const types = (): readonly string[] => programs.attached.events.map(({ type }) => type);
  const backAgain = async (): Promise<void> => {
    await programs.stackGoes();
    programs.stackComesBack();
    await programs.engine.pass(2000);
  };

  it("a socket is bound again to the same address and port, though it took any free one", async () => {
    const socket = await programs.bound(HERE, 0);
    const { port } = socket.localAddress ?? {};
    await backAgain();
    expect(programs.engine.stack.info("sockets")).toMatchObject([{ bound: { address: HERE, port } }]);
    const other = await programs.bound(HERE, 4100);
    other.trySend("still here?", { to: `${HERE}:${port}` });
    expect(seen(socket.tryReceive())?.text).toBe("still here?");
  });

  it("limits, time stamps, destination and monitoring hold as before", async () => {
    const socket = await programs.bound(HERE, 4000, { receiveBufferSize: LIMIT, sendBufferSize: 20_000 });
    socket.timestamps = true;
    socket.connect(peer);
    socket.monitorCongestion((1n << 64n) - 1n);
    await backAgain();
    expect(programs.engine.stack.info("sockets")).toMatchObject([
      { sendBufferSize: 20_000, receiveBufferSize: LIMIT, connected: { address: PEER, port: 7 } },
    ]);
    const receiver = await programs.bound(HERE, 2000, { receiveBufferSize: LIMIT });
    const sender = await programs.bound(HERE, 4100);
    sender.trySend("x", { to: `${HERE}:4000` });
    expect(socket.tryReceive()).toMatchObject({ control: [{ type: "timestamp" }] });
    sendUntilRefused(sender, `${HERE}:2000`, 1000);
    receiveAll(receiver);
    expect(socket.tryReceive()).toEqual({ type: "congestion", ports: 1n << 16n });
  });

  it("drain tells once that messages may be lost, and they are not sent again", async () => {
    const receiver = await programs.bound(HERE, 4200);
    const socket = await programs.bound(HERE, 4000);
    socket.trySend("one", { to: peer });
    socket.trySend("two", { to: peer });
    const draining = result(socket.drain());
    await programs.stackGoes();
    expect(await draining).toBe("ATTACH_LOST");
    await socket.drain();
    programs.stackComesBack();
    await programs.engine.pass(2000);
    expect(programs.engine.stack.info("sendQueue")).toEqual([]);
    expect(receiver.tryReceive()).toBeUndefined();
    socket.trySend("three", { to: peer });
    expect(programs.engine.stack.info("sendQueue")).toMatchObject([{ length: 5 }]);
  });

  it("a program that drains later hears of it then", async () => {
    const socket = await programs.bound(HERE, 4000);
    socket.trySend("one", { to: peer });
    await backAgain();
    await expect(socket.drain()).rejects.toMatchObject({
      code: "VERBENA_RDS_ATTACH_LOST",
      message: "the RDS stack ended with 1 messages of this socket not acknowledged",
    });
    await socket.drain();
  });

  it("who listens to events hears of the loss, by socket", async () => {
    const socket = await programs.bound(HERE, 4000);
    await programs.bound(HERE, 4001);
    socket.trySend("one", { to: peer });
    await backAgain();
    const lost = programs.attached.events.filter(({ type }) => type === "lost");
    expect(lost).toMatchObject([{ local: { address: HERE, port: 4000 }, messages: 1 }]);
    expect(types().filter((type) => type === "attached")).toHaveLength(4);
  });

  it("what was acknowledged is not lost", async () => {
    const receiver = programs.engine.peer.socket();
    await receiver.bind(PEER, 7);
    await programs.engine.peer.appear();
    const socket = await programs.bound(HERE, 4000);
    socket.trySend("one", { to: peer });
    await programs.engine.run(socket.drain());
    await backAgain();
    await socket.drain();
  });

  it("while it is away a send that does not wait gives EAGAIN, one that waits goes when it is back", async () => {
    const socket = await programs.bound(HERE, 4000);
    await programs.stackGoes();
    expect(outcome(() => socket.trySend("x", { to: peer }))).toBe("EAGAIN");
    expect(socket.readiness.writable).toBe(false);
    const sending = socket.send("waited", { to: peer });
    await programs.engine.pass(5000);
    programs.stackComesBack();
    expect(await programs.engine.run(sending)).toBe(6);
    expect(programs.engine.stack.info("sendQueue")).toMatchObject([{ length: 6 }]);
  });

  it("what the program holds and has not read can be read while it is away, and is not counted by the next one", async () => {
    const socket = await programs.bound(HERE, 4000);
    const other = await programs.bound(HERE, 4100);
    other.trySend("one", { to: `${HERE}:4000` });
    other.trySend("two", { to: `${HERE}:4000` });
    await programs.stackGoes();
    expect(seen(socket.tryReceive())?.text).toBe("one");
    programs.stackComesBack();
    await programs.engine.pass(2000);
    expect(seen(socket.tryReceive())?.text).toBe("two");
    other.trySend("three", { to: `${HERE}:4000` });
    expect(seen(socket.tryReceive())?.text).toBe("three");
  });

  it("it is tried again at once, then by lot below bounds that double up to a second", async () => {
    const socket = await programs.bound(HERE, 4000);
    await programs.stackGoes();
    const start = programs.engine.now();
    const times: number[] = [];
    let seenEvents = programs.attached.events.length;
    for (let step = 0; step < 10_000; step += 1) {
      await programs.engine.pass(1);
      const { length } = programs.attached.events;
      if (length > seenEvents) times.push(programs.engine.now() - start);
      seenEvents = length;
    }
    expect(times[0]).toBe(1);
    const waits = times.slice(1).map((time, at) => time - (times[at] ?? 0));
    expect(Math.max(...waits)).toBeLessThanOrEqual(1001);
    expect(times.length).toBeGreaterThan(12);
    await socket.close();
    await programs.engine.pass(5000);
    expect(programs.attached.events).toHaveLength(seenEvents);
  });

  it("a port that somebody else has taken meanwhile is asked for again until it is free", async () => {
    const socket = await programs.bound(HERE, 4000);
    await programs.stackGoes();
    programs.stackComesBack();
    const usurper = programs.engine.socket();
    await usurper.bind(HERE, 4000);
    await programs.engine.pass(3000);
    expect(programs.attached.events.at(-1)).toMatchObject({
      type: "detached",
      error: { code: "VERBENA_RDS_EADDRINUSE" },
    });
    expect(outcome(() => socket.trySend("x", { to: peer }))).toBe("EAGAIN");
    await usurper.close();
    await programs.engine.pass(2000);
    expect(socket.trySend("x", { to: peer })).toBe(1);
  });

  it("a list that was asked for is refused when the stack goes, and while it is away", async () => {
    const socket = await programs.bound(HERE, 4000);
    programs.links.isHeld = true;
    const asked = result(socket.info("counters"));
    programs.links.isHeld = false;
    await programs.stackGoes();
    expect(await asked).toBe("ATTACH_DETACHED");
    expect(await result(socket.info("counters"))).toBe("ATTACH_DETACHED");
  });

  it("closing while it is away leaves no timer", async () => {
    const socket = await programs.bound(HERE, 4000);
    await programs.stackGoes();
    await socket.close();
    expect(programs.engine.clock.pending).toBe(0);
  });

  it("the first bind of a socket does not wait for a stack that is not there", async () => {
    await programs.stackGoes();
    await expect(programs.bound(HERE, 4000)).rejects.toMatchObject({
      code: "VERBENA_RDS_ATTACH_UNREACHABLE",
      message: expect.stringContaining("memory") as string,
    });
  });
});
