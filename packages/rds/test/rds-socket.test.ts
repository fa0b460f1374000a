import type { LocalTransport, MessageTransport } from "@verbena/core/sdk";
import { RdsAddress, type RdsSocket, RdsStack } from "../src/index.js";
import { bound, LIMIT, message, outcome, receiveAll, result, seen, sendUntilRefused } from "./conformance/rig.js";
import { UserSpaceRig, virtualHost } from "./conformance/user-space-rig.js";

const PEER = "10.0.0.9";
const here = "127.0.0.1";

describe("the life of a socket", () => {
  const rig = new UserSpaceRig(PEER);
  afterEach(() => rig.reset());
  afterAll(() => rig.close());

  it("can be closed twice, and every call fails afterwards", async () => {
    const socket = await bound(rig, here, 4000);
    await Promise.all([socket.close(), socket.close()]);
    await socket.close();
    expect(outcome(() => socket.trySend("x", { to: `${here}:4000` }))).toBe("CLOSED");
    expect(outcome(() => socket.tryReceive())).toBe("CLOSED");
    expect(outcome(() => socket.connect(`${here}:1`))).toBe("CLOSED");
    expect(await result(socket.bind(here, 4001))).toBe("CLOSED");
    expect(await result(socket.receive())).toBe("CLOSED");
    expect(await result(socket.poll(["readable"]))).toBe("CLOSED");
    expect(await result(socket.drain())).toBe("CLOSED");
  });

  it("settles everything that waits when it is closed", async () => {
    const socket = await bound(rig, rig.local[0], 4000, { sendBufferSize: LIMIT });
    sendUntilRefused(socket, `${PEER}:7`, 4000);
    const waits = [
      socket.receive(),
      socket.peek(),
      socket.send("x", { to: `${PEER}:7` }),
      socket.writable(),
      socket.drain(),
    ].map(result);
    await socket.close();
    expect(await Promise.all(waits)).toEqual(Array(5).fill("CLOSED"));
    expect(rig.clock.pending).toBe(0);
  });

  it("rejects what waits with the reason it is destroyed for", async () => {
    const socket = await bound(rig, here, 4000);
    const waiting = socket.receive();
    const reason = new Error("enough");
    socket.destroy(reason);
    await expect(waiting).rejects.toBe(reason);
  });

  it("closed while its bind is under way, leaves the port free", async () => {
    let opened: (local: LocalTransport) => void = () => undefined;
    const slow: MessageTransport = {
      kind: "messages",
      name: "slow",
      claims: () => true,
      open: () =>
        new Promise((resolve) => {
          opened = resolve;
        }),
    };
    const stack = new RdsStack({ host: virtualHost(), transports: [slow] });
    const socket = stack.createSocket();
    const binding = result(socket.bind("10.0.0.1", 4000));
    await socket.close();
    opened({ link: () => undefined, close: () => Promise.resolve() });
    expect(await binding).toBe("CLOSED");
    expect(await result(stack.createSocket().bind("10.0.0.1", 4000))).toMatchObject({ port: 4000 });
    await stack.close();
  });

  it("whose transport cannot open the address is as it was, and the next bind asks again", async () => {
    let isBroken = true;
    const flaky: MessageTransport = {
      kind: "messages",
      name: "flaky",
      claims: () => true,
      open: () =>
        isBroken
          ? Promise.reject(new Error("no such port"))
          : Promise.resolve({ link: () => undefined, close: () => Promise.resolve() }),
    };
    await using stack = new RdsStack({ host: virtualHost(), transports: [flaky] });
    const socket = stack.createSocket();
    await expect(socket.bind("10.0.0.1", 4000)).rejects.toThrow("no such port");
    isBroken = false;
    expect(await socket.bind("10.0.0.1", 4000)).toMatchObject({ port: 4000 });
  });

  it("does not outlive its stack", async () => {
    const stack = new RdsStack({ host: virtualHost() });
    const socket = stack.createSocket();
    await socket.bind(here, 4000);
    const waiting = result(socket.receive());
    await stack.close();
    await stack.close();
    expect(await waiting).toBe("CLOSED");
    expect(outcome(() => stack.createSocket())).toBe("CLOSED");
  });

  it("gives up a wait when its signal says so, and loses no message by that", async () => {
    const [receiver, sender] = [await bound(rig, here, 4000), await bound(rig, here, 4100)];
    const ending = new AbortController();
    const waiting = result(receiver.receive({ signal: ending.signal }));
    ending.abort(new Error("changed my mind"));
    expect(await waiting).toBe("ABORTED");
    expect(await result(receiver.receive({ signal: ending.signal }))).toBe("ABORTED");
    sender.trySend("kept", { to: `${here}:4000` });
    expect(seen(receiver.tryReceive())?.text).toBe("kept");
  });

  it("keeps the order of sends to one destination, also of those that waited; others overtake", async () => {
    const receiver = await bound(rig, rig.local[0], 2000, { receiveBufferSize: LIMIT });
    const other = await bound(rig, rig.local[0], 2001);
    const sender = await bound(rig, rig.local[0], 4100);
    const to = `${rig.local[0]}:2000`;
    sendUntilRefused(sender, to, 1000);
    const sends = ["a", "b", "c"].map((text) => sender.send(text, { to }));
    await sender.send("other", { to: `${rig.local[0]}:2001` });
    expect(seen(other.tryReceive())?.text).toBe("other");
    expect(outcome(() => sender.trySend("d", { to }))).toBe("ENOBUFS");
    // Room comes while these are received, and the sends that waited for it go on at once.
    const all = receiveAll(receiver).map(({ data }) => data.toString());
    expect(await Promise.all(sends)).toEqual([1, 1, 1]);
    expect(all.filter(({ length }) => length === 1)).toEqual(["a", "b", "c"]);
  });

  it("sends messages once that waited for room, though their receiver takes them within the same call", async () => {
    const receiver = await bound(rig, rig.local[0], 2000, { receiveBufferSize: LIMIT });
    await bound(rig, rig.local[0], 2001, { receiveBufferSize: LIMIT });
    const sender = await bound(rig, rig.local[0], 4100, { sendBufferSize: 2 * LIMIT });
    expect(sendUntilRefused(sender, `${rig.local[0]}:2001`, 1000)[1]).toBe("ENOBUFS");
    expect(sendUntilRefused(sender, `${PEER}:7`, 4000)[1]).toBe("EAGAIN");
    // Longer than the receiver's limit: coming and going, it makes the port congested and free again.
    const recvQueued = () => Number(rig.stack.info("counters").find(({ name }) => name === "recv_queued")?.value);
    const queued = recvQueued();
    const letters = ["a", "b"];
    const sent = letters.map((letter) => sender.send(letter.repeat(LIMIT + 1), { to: `${rig.local[0]}:2000` }));
    const received = letters.map(() => receiver.receive());
    sender.sendBufferSize = 3 * LIMIT;
    expect(await Promise.all(sent)).toEqual([LIMIT + 1, LIMIT + 1]);
    expect((await Promise.all(received)).map((item) => message(item).data.toString("latin1", 0, 1))).toEqual(letters);
    expect(receiveAll(receiver)).toEqual([]);
    expect(recvQueued() - queued).toBe(2);
  });

  it("is drained once the last message that waited has been given up", async () => {
    await bound(rig, rig.local[0], 2000, { receiveBufferSize: LIMIT });
    const sender = await bound(rig, rig.local[0], 4100);
    sendUntilRefused(sender, `${rig.local[0]}:2000`, 1000);
    const ending = new AbortController();
    const sent = result(sender.send("x", { to: `${rig.local[0]}:2000`, signal: ending.signal }));
    const outcomes: unknown[] = [];
    void result(sender.drain()).then(() => outcomes.push("drained"));
    await rig.settle();
    expect(outcomes).toEqual([]);
    ending.abort();
    expect(await sent).toBe("ABORTED");
    await rig.settle();
    expect(outcomes).toEqual(["drained"]);
  });

  it("receives what a receive of its own asked for before the bind", async () => {
    const socket: RdsSocket = rig.socket();
    const early = socket.receive();
    await socket.bind(here, 4000);
    socket.trySend("late", { to: `${here}:4000` });
    expect(message(await early).data.toString()).toBe("late");
  });

  it("has link-local addresses by their interface only", async () => {
    const host = "fe80::1";
    const scoped: MessageTransport = {
      kind: "messages",
      name: "scoped",
      claims: ({ address }) => address === host,
      open: () => Promise.resolve({ link: () => undefined, close: () => Promise.resolve() }),
    };
    await using stack = new RdsStack({ host: virtualHost(), transports: [scoped] });
    const socket = stack.createSocket();
    expect(await result(socket.bind({ address: host, port: 4000 }))).toBe("EINVAL");
    socket.connect("[fe80::2%3]:7");
    expect(await result(socket.bind({ address: host, port: 4000, scopeId: 2 }))).toBe("EINVAL");
    await socket.bind(`[${host}%3]:4000`);
    expect(outcome(() => socket.trySend("x", { to: "[fe80::2%2]:7" }))).toBe("EINVAL");
    expect(socket.trySend("x")).toBe(1);
    expect(outcome(() => socket.connect("[fe80::2%2]:7"))).toBe("EINVAL");
  });
});

describe("RdsAddress", () => {
  it.each([
    ["10.0.0.1:4000", "10.0.0.1:4000"],
    ["[2001:db8::1]:7", "[2001:db8::1]:7"],
    ["[fe80::1%2]:65535", "[fe80::1%2]:65535"],
    ["[::ffff:10.0.0.1]:7", "10.0.0.1:7"],
  ])("reads %s and writes %s", (text, canonical) => {
    expect(RdsAddress.format(RdsAddress.parse(text))).toBe(canonical);
  });

  it.each(["10.0.0.1", "10.0.0.1:", "10.0.0.1:65536", "2001:db8::1:7", "[fe80::1%eth0]:7", "host:7", "[10.0.0.1:7"])(
    "refuses %s",
    (text) => {
      expect(outcome(() => RdsAddress.parse(text))).toBe("EINVAL");
    },
  );
});
