import { bound, LIMIT, outcome, receiveAll, result, seen, sendUntilRefused } from "../conformance/rig.js";
import { HERE, PEER, Programs } from "./programs.js";

describe("programs that share the addresses of a stack", () => {
  let programs: Programs;
  beforeEach(() => {
    programs = new Programs();
  });
  afterEach(() => programs.close());
  const thousand = Buffer.alloc(1000);
  const texts = (socket: Awaited<ReturnType<Programs["bound"]>>): readonly string[] =>
    receiveAll(socket).map(({ data }) => data.toString());

  it("a port of one is in use for the others, and for the stack's own process", async () => {
    await programs.bound(HERE, 4000);
    await expect(programs.bound(HERE, 4000)).rejects.toMatchObject({ code: "VERBENA_RDS_EADDRINUSE", errno: 98 });
    await expect(bound(programs.engine, HERE, 4000)).rejects.toMatchObject({ code: "VERBENA_RDS_EADDRINUSE" });
  });

  it("an address that the stack does not serve is named once, and the stack beside it", async () => {
    const refused = await programs.bound("10.99.0.1", 4000).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      message: "no transport serves the address 10.99.0.1",
      hint: expect.stringContaining("those of the stack at memory"),
    });
  });

  it("the port of a program that ends without a word is free at once, and what it had not read is forgotten", async () => {
    const sender = await programs.bound(HERE, 4100);
    await programs.bound(HERE, 4000);
    sender.trySend("never read", { to: `${HERE}:4000` });
    programs.links.cut("last");
    const next = await bound(programs.engine, HERE, 4000);
    expect(next.tryReceive()).toBeUndefined();
    sender.trySend("for the next", { to: `${HERE}:4000` });
    expect(seen(next.tryReceive())).toEqual({ text: "for the next", from: `${HERE}:4100` });
  });

  it("what a program had sent when it ended is cancelled", async () => {
    const socket = await programs.bound(HERE, 4000);
    socket.trySend("too late", { to: `${PEER}:7` });
    expect(programs.engine.stack.info("sendQueue")).toHaveLength(1);
    programs.links.cut("last");
    expect(programs.engine.stack.info("sendQueue")).toEqual([]);
  });

  it("a program that does not read congests its own port alone, and holds up no other", async () => {
    const sender = await programs.bound(HERE, 4100);
    await programs.bound(HERE, 4000, { receiveBufferSize: LIMIT });
    const reader = await programs.bound(HERE, 4001, { receiveBufferSize: LIMIT });
    expect(sendUntilRefused(sender, `${HERE}:4000`, 1000)).toEqual([11, "ENOBUFS"]);
    for (let count = 0; count < 100; count += 1) {
      sender.trySend(thousand, { to: `${HERE}:4001` });
      expect(reader.tryReceive()).toMatchObject({ length: 1000 });
    }
  });

  it("what a program has not read stays in the stack's queue, though a copy is with the program", async () => {
    const sender = await programs.bound(HERE, 4100);
    const receiver = await programs.bound(HERE, 4000);
    sender.trySend("x", { to: `${HERE}:4000` });
    expect(receiver.readiness.readable).toBe(true);
    expect(programs.engine.stack.info("receiveQueue")).toHaveLength(1);
    receiver.tryReceive();
    expect(programs.engine.stack.info("receiveQueue")).toEqual([]);
  });

  it("no more than a window is with a program that does not read; the rest follows as it reads", async () => {
    const sender = await programs.bound("127.0.0.1", 4100);
    const receiver = await programs.bound("127.0.0.1", 4000, { receiveBufferSize: LIMIT });
    const before = programs.links.sentBytes;
    for (let number = 0; number < 200; number += 1) sender.trySend(thousand, { to: "127.0.0.1:4000" });
    // 200 messages to the stack, and 64 KiB of them, with 128 bytes counted beside each, on to the receiver.
    expect(programs.links.sentBytes - before).toBeLessThan(200 * 1100 + 65_536 + 2000);
    expect(receiveAll(receiver)).toHaveLength(200);
  });

  it("messages sent before the news of congestion came are held, and arrive in order when the port is free", async () => {
    const receiver = await programs.bound(HERE, 4000, { receiveBufferSize: LIMIT });
    const first = await programs.bound(HERE, 4100);
    const late = await programs.bound(HERE, 4200);
    expect(late.trySend("0", { to: `${HERE}:4000` })).toBe(1);
    // With that one byte the tenth is one too many.
    expect(sendUntilRefused(first, `${HERE}:4000`, 1000)).toEqual([10, "ENOBUFS"]);
    expect(outcome(() => late.trySend("x", { to: `${HERE}:4000` }))).toBe("ENOBUFS");
    const stranger = await programs.bound(HERE, 4300);
    programs.links.isHeld = true;
    for (const text of ["a", "b", "c"]) expect(stranger.trySend(text, { to: `${HERE}:4000` })).toBe(1);
    programs.links.isHeld = false;
    programs.links.deliver();
    expect(outcome(() => stranger.trySend("d", { to: `${HERE}:4000` }))).toBe("ENOBUFS");
    expect(programs.engine.stack.info("receiveQueue")).toHaveLength(11);
    const all = [...texts(receiver), ...texts(receiver)];
    expect(all.filter((text) => text.length === 1)).toEqual(["0", "a", "b", "c"]);
    expect(outcome(() => stranger.trySend("d", { to: `${HERE}:4000` }))).toBe(1);
  });

  it("held messages count as sent until they have gone, and can be taken back", async () => {
    await programs.bound(HERE, 4000, { receiveBufferSize: LIMIT });
    const first = await programs.bound(HERE, 4100);
    sendUntilRefused(first, `${HERE}:4000`, 1000);
    const stranger = await programs.bound(HERE, 4300, { sendBufferSize: LIMIT });
    programs.links.isHeld = true;
    stranger.trySend(Buffer.alloc(LIMIT), { to: `${HERE}:4000` });
    programs.links.isHeld = false;
    programs.links.deliver();
    expect(stranger.readiness.writable).toBe(false);
    stranger.cancel(`${HERE}:4000`);
    expect(stranger.readiness.writable).toBe(true);
    await stranger.drain();
  });

  it("a smaller limit does not hold up what was sent under the larger one", async () => {
    const receiver = await programs.bound(HERE, 4000, { receiveBufferSize: LIMIT });
    sendUntilRefused(await programs.bound(HERE, 4100), `${HERE}:4000`, 1000);
    const stranger = await programs.bound(HERE, 4300, { sendBufferSize: 50_000 });
    programs.links.isHeld = true;
    stranger.trySend(Buffer.alloc(50_000), { to: `${HERE}:4000` });
    stranger.sendBufferSize = 3000;
    programs.links.isHeld = false;
    programs.links.deliver();
    expect([...receiveAll(receiver), ...receiveAll(receiver)].map(({ length }) => length)).toContain(50_000);
    expect(outcome(() => stranger.trySend(Buffer.alloc(3001), { to: `${HERE}:4001` }))).toBe("EMSGSIZE");
  });

  it("drain waits until the stack tells that the peer's host has all", async () => {
    const receiver = programs.engine.peer.socket();
    await receiver.bind(PEER, 7);
    const sender = await programs.bound(HERE, 4000);
    sender.trySend("x", { to: `${PEER}:7` });
    let isDrained = false;
    const drained = sender.drain().then(() => {
      isDrained = true;
    });
    await programs.engine.settle();
    expect(isDrained).toBe(false);
    await programs.engine.peer.appear();
    await programs.engine.run(drained);
    expect(seen(receiver.tryReceive())?.text).toBe("x");
  });

  it("more peers than the stack takes give ENOMEM once that is known", async () => {
    const few = new Programs({ maxPeers: 1 });
    const socket = await few.bound(HERE, 4000);
    expect(socket.trySend("x", { to: `${PEER}:7` })).toBe(1);
    expect(await result(socket.send("x", { to: "10.0.0.77:7" }))).toBe("ENOMEM");
    await few.close();
  });

  it("any number of lists can be asked for at once", async () => {
    const socket = await programs.bound(HERE, 4000);
    const lists = await Promise.all(Array.from({ length: 100 }, () => socket.info("sockets")));
    expect(lists.every(([only]) => only?.bound.port === 4000)).toBe(true);
  });

  it("more destinations than the stack numbers at a time are taken in turn", async () => {
    const socket = await programs.bound("127.0.0.1", 4000);
    for (let port = 2; port < 5000; port += 1) expect(socket.trySend("x", { to: `127.0.0.1:${port}` })).toBe(1);
    expect(socket.trySend("x", { to: "127.0.0.1:2" })).toBe(1);
  });
});
