import * as rds from "../src/index.js";
import { bound, LIMIT, message, outcome, receiveAll, result, seen, sendUntilRefused } from "./conformance/rig.js";
import { UserSpaceRig, virtualHost } from "./conformance/user-space-rig.js";

// The statements of AIX' page about RDS, by their row in the table of docs/rds.md: sockets, addresses, limits, time-outs.
describe("AIX table, sockets", () => {
  const rig = new UserSpaceRig("10.0.0.9");
  const here = rig.local[0];
  const peer = (port: number): string => `10.0.0.9:${port}`;
  const bytes = (length: number): Buffer => Buffer.alloc(length);
  afterEach(() => rig.reset());
  afterAll(() => rig.close());

  it("row 1: what headers declare there is exported here", () => {
    expect(Object.keys(rds)).toEqual(
      expect.arrayContaining(["RdsStack", "RdsSocket", "congestionBit", "congestionMask", "CONGESTION_MONITOR_SIZE"]),
    );
  });

  it("row 2: loopback, TCP and the kernel are transports", () => {
    const { LoopTransport, TcpTransport, KernelTransport } = rds;
    expect([LoopTransport, TcpTransport, KernelTransport].map((made) => typeof made)).toEqual(
      Array(3).fill("function"),
    );
  });

  it("row 3: ends are IPv4 addresses, and IPv6 ones", async () => {
    for (const [address, to] of [
      ["127.0.0.1", "127.0.0.1:4000"],
      ["::1", "[::1]:4000"],
    ] as const) {
      const socket = await bound(rig, address, 4000);
      socket.trySend("x", { to });
      expect(seen(socket.tryReceive())?.from).toBe(`${address}:4000`);
    }
  });

  it("row 4: a function makes sockets", () => {
    expect(rig.socket()).toBeInstanceOf(rds.RdsSocket);
  });

  it("rows 5, 22: buffers and time-outs are options, in payload bytes and milliseconds, without a system's cap", () => {
    const socket = rig.socket({
      sendBufferSize: 1 << 30,
      receiveBufferSize: 1 << 29,
      sendTimeoutMs: 5,
      receiveTimeoutMs: 6,
    });
    expect([socket.sendBufferSize, socket.receiveBufferSize]).toEqual([1 << 30, 1 << 29]);
    expect([socket.sendTimeoutMs, socket.receiveTimeoutMs]).toEqual([5, 6]);
  });

  it("row 6: options of the protocol are methods", () => {
    const socket = rig.socket();
    socket.monitorCongestion(true);
    expect(socket.monitoredPorts).toBe(0n);
  });

  it("row 7: a new socket has no address; it cannot send, and receives nothing", () => {
    const socket = rig.socket();
    expect(socket.localAddress).toBeUndefined();
    expect(outcome(() => socket.trySend("x", { to: peer(7) }))).toBe("ENOTCONN");
    expect(socket.tryReceive()).toBeUndefined();
  });

  it("row 8: the address chooses the transport", async () => {
    expect((await bound(rig, here, 4000)).transport).toBe("memory");
    expect((await bound(rig, "127.0.0.1", 4000)).transport).toBe("loopback");
  });

  it("row 9: an address that no transport serves gives EADDRNOTAVAIL", async () => {
    expect(await result(rig.socket().bind("203.0.113.1", 4000))).toBe("EADDRNOTAVAIL");
  });

  it("row 10: one address a socket, one socket an address and port", async () => {
    const socket = await bound(rig, here, 4000);
    expect(await result(socket.bind(rig.local[1], 4000))).toBe("EINVAL");
    expect(await result(rig.socket().bind(here, 4000))).toBe("EADDRINUSE");
  });

  it("row 11: without a port a free one is chosen", async () => {
    expect((await rig.socket().bind(here)).port).toBeGreaterThanOrEqual(2);
  });

  it("rows 12, 13: no other bind, and none to any address", async () => {
    const socket = await bound(rig, here, 4000);
    expect(await result(socket.bind(here, 4001))).toBe("EINVAL");
    expect(await result(rig.socket().bind("0.0.0.0", 4000))).toBe("EINVAL");
  });

  it("rows 14, 15: each message names its destination, unless connect has stored one", async () => {
    const [sender, receiver] = [await bound(rig, here, 4100), await bound(rig, here, 4000)];
    sender.trySend("named", { to: `${here}:4000` });
    sender.connect(`${here}:4000`);
    sender.trySend("stored");
    expect(receiveAll(receiver).map(({ data }) => data.toString())).toEqual(["named", "stored"]);
  });

  it("rows 16, 17, 32: the send queue counts payload bytes until they are acknowledged; the last may overshoot", async () => {
    const sender = await bound(rig, here, 4100, { sendBufferSize: LIMIT });
    expect(sendUntilRefused(sender, peer(7), 9999)).toEqual([2, "EAGAIN"]);
    rig.network.withholdsAcks = true;
    await rig.peer.socket().bind("10.0.0.9", 7);
    await rig.peer.appear();
    expect(sender.readiness.writable).toBe(false);
    rig.network.withholdsAcks = false;
    await rig.peer.vanish();
    await rig.peer.appear();
    expect(sender.readiness.writable).toBe(true);
  });

  it("rows 18, 19, 20: beyond the receive limit the port is congested, senders are told, and what comes is kept", async () => {
    const receiver = await bound(rig, here, 2000, { receiveBufferSize: LIMIT });
    const sender = rig.peer.socket();
    await sender.bind("10.0.0.9", 4100);
    await rig.peer.appear();
    for (let count = 0; count < 20; count += 1) sender.trySend(bytes(1000), { to: `${here}:2000` });
    await rig.settle();
    expect(outcome(() => sender.trySend("x", { to: `${here}:2000` }))).toBe("ENOBUFS");
    expect(receiveAll(receiver)).toHaveLength(20);
  });

  it("row 21: below half the receive limit it is not, and senders are told", async () => {
    const receiver = await bound(rig, here, 2000, { receiveBufferSize: LIMIT });
    const sender = rig.peer.socket();
    await sender.bind("10.0.0.9", 4100);
    await rig.peer.appear();
    for (let count = 0; count < 11; count += 1) sender.trySend(bytes(1000), { to: `${here}:2000` });
    await rig.settle();
    const after = async (count: number): Promise<unknown> => {
      for (let turn = 0; turn < count; turn += 1) receiver.tryReceive();
      await rig.settle();
      return outcome(() => sender.trySend("", { to: `${here}:2000` }));
    };
    expect(await after(6)).toBe("ENOBUFS");
    expect(await after(1)).toBe(0);
  });

  it("rows 23, 24: methods wait, their twins with try do not", async () => {
    const socket = await bound(rig, here, 4000);
    expect(socket.tryReceive()).toBeUndefined();
    const waiting = socket.receive();
    socket.trySend("x", { to: `${here}:4000` });
    expect(seen(await waiting)?.text).toBe("x");
  });

  it("rows 25, 26: time-outs end a wait by an error, 0 is for ever", async () => {
    const socket = await bound(rig, here, 4000, { receiveTimeoutMs: 1000, sendBufferSize: LIMIT, sendTimeoutMs: 2000 });
    sendUntilRefused(socket, peer(7), 5000);
    expect(await rig.run(result(socket.receive()))).toBe("ETIMEDOUT");
    expect(await rig.run(result(socket.send("x", { to: peer(7) })))).toBe("ETIMEDOUT");
    expect(rig.socket().receiveTimeoutMs).toBe(0);
  });

  it("row 27: a message has up to 1 MiB unless the stack says otherwise", async () => {
    const socket = await bound(rig, here, 4000, { sendBufferSize: 4 << 20 });
    expect(socket.trySend(bytes(1 << 20), { to: `${here}:4000` })).toBe(1 << 20);
    expect(outcome(() => socket.trySend(bytes((1 << 20) + 1), { to: `${here}:4000` }))).toBe("EMSGSIZE");
    expect(message(socket.tryReceive()).length).toBe(1 << 20);
    expect(() => new rds.RdsStack({ host: virtualHost(), maxMessageSize: 2 ** 32 - 1 })).not.toThrow();
  });

  it("row 28: nothing is out of band", async () => {
    const socket = await bound(rig, here, 4000);
    expect(["sendOob", "receiveOob"].filter((name) => name in socket)).toEqual([]);
  });

  it("row 29: neither broadcast nor multicast", async () => {
    const socket = await bound(rig, here, 4000);
    const answers = ["255.255.255.255", "239.0.0.1"].map((host) =>
      outcome(() => socket.trySend("x", { to: `${host}:7` })),
    );
    expect(answers).toEqual(["EINVAL", "EINVAL"]);
  });

  it("row 30: a send succeeds when the message is queued, and there it stays until acknowledged", async () => {
    const socket = await bound(rig, here, 4000);
    expect(socket.trySend("x", { to: peer(7) })).toBe(1);
    expect(await socket.info("sendQueue")).toMatchObject([{ length: 1 }]);
    const other = await rig.peer.socket().bind("10.0.0.9", 7);
    await rig.peer.appear();
    await rig.run(socket.drain());
    expect([other.port, await socket.info("sendQueue"), await socket.info("retransmitQueue")]).toEqual([7, [], []]);
  });
});
