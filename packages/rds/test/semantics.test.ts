import {
  CONGESTION_MONITOR_SIZE,
  congestionBit,
  congestionMask,
  LoopTransport,
  type RdsSocket,
  RdsStack,
  type RdsStackOptions,
} from "../src/index.js";
import { bound, LIMIT, message, outcome, receiveAll, result, sendUntilRefused } from "./conformance/rig.js";
import { UserSpaceRig, virtualHost } from "./conformance/user-space-rig.js";

const PEER = "10.0.0.9";

describe.each(["linux", "document"] as const)("semantics %s", (semantics) => {
  let rig: UserSpaceRig;
  beforeEach(() => {
    rig = new UserSpaceRig(PEER, { semantics });
  });
  afterEach(() => rig.close());

  const isLinux = semantics === "linux";
  const here = (port: number): string => `${rig.local[0]}:${port}`;

  it(`a port is free again below ${isLinux ? "half the" : "the full"} receive limit`, async () => {
    const receiver = await bound(rig, rig.local[0], 2000, { receiveBufferSize: LIMIT });
    const sender = await bound(rig, rig.local[0], 4100);
    sendUntilRefused(sender, here(2000), 1000);
    let received = 0;
    while (outcome(() => sender.trySend("", { to: here(2000) })) === "ENOBUFS") {
      receiver.tryReceive();
      received += 1;
    }
    expect(received).toBe(isLinux ? 7 : 2);
  });

  it(`an empty message needs ${isLinux ? "room in" : "no room in"} the send queue`, async () => {
    const sender = await bound(rig, rig.local[0], 4100, { sendBufferSize: LIMIT });
    sendUntilRefused(sender, `${PEER}:7`, 4000);
    expect(outcome(() => sender.trySend("", { to: `${PEER}:7` }))).toBe(isLinux ? "EAGAIN" : 0);
  });

  it(`a wait for a congested port ${isLinux ? "has no" : "has the"} time-out`, async () => {
    await bound(rig, rig.local[0], 2000, { receiveBufferSize: LIMIT });
    const sender = await bound(rig, rig.local[0], 4100, { sendTimeoutMs: 200 });
    sendUntilRefused(sender, here(2000), 1000);
    const outcomes: unknown[] = [];
    void result(sender.send("x", { to: here(2000) })).then((one) => outcomes.push(one));
    await rig.pass(1000);
    expect(outcomes).toEqual(isLinux ? [] : ["ETIMEDOUT"]);
  });

  it(`so has ${isLinux ? "no" : "the"} time-out what queues behind such a wait`, async () => {
    await bound(rig, rig.local[0], 2000, { receiveBufferSize: LIMIT });
    const sender = await bound(rig, rig.local[0], 4100, { sendTimeoutMs: 200 });
    sendUntilRefused(sender, here(2000), 1000);
    const outcomes: unknown[] = [];
    void result(sender.send("x", { to: here(2000) })).then((one) => outcomes.push(one));
    void result(sender.send("y", { to: here(2000) })).then((one) => outcomes.push(one));
    await rig.pass(1000);
    expect(outcomes).toEqual(isLinux ? [] : ["ETIMEDOUT", "ETIMEDOUT"]);
  });

  it("a wait for a port that has become one for room has the time-out", async () => {
    const receiver = await bound(rig, rig.local[0], 2000, { receiveBufferSize: LIMIT });
    const sender = await bound(rig, rig.local[0], 4100, { sendBufferSize: LIMIT, sendTimeoutMs: 200 });
    sendUntilRefused(sender, here(2000), 1000);
    sendUntilRefused(sender, `${PEER}:7`, 4000);
    const outcomes: unknown[] = [];
    void result(sender.send("x", { to: here(2000) })).then((one) => outcomes.push(one));
    receiveAll(receiver);
    await rig.pass(1000);
    expect(outcomes).toEqual(["ETIMEDOUT"]);
  });
});

describe("congestion monitoring by a mask of the program's own", () => {
  const rig = new UserSpaceRig(PEER);
  afterEach(() => rig.reset());
  afterAll(() => rig.close());

  it("has 64 bits, of which a port has number port mod 64", () => {
    expect(CONGESTION_MONITOR_SIZE).toBe(64);
    expect([0, 63, 64, 2000, 65_535].map(congestionBit)).toEqual([0, 63, 0, 16, 63]);
    expect(congestionMask(2047)).toBe(1n << 63n);
  });

  it("tells of the ports of the mask that become free, without a refusal, and can be asked for", async () => {
    const socket = await bound(rig, rig.local[0], 4100);
    socket.monitorCongestion(congestionMask(2000) | congestionMask(63));
    expect(socket.monitoredPorts).toBe((1n << 16n) | (1n << 63n));
    const update = async (port: number): Promise<unknown> => {
      const receiver = await bound(rig, rig.local[0], port, { receiveBufferSize: LIMIT });
      const sender = await bound(rig, rig.local[0], 0);
      sendUntilRefused(sender, `${rig.local[0]}:${port}`, 1000);
      receiveAll(receiver);
      return socket.tryReceive();
    };
    expect(await update(2000)).toEqual({ type: "congestion", ports: 1n << 16n });
    expect(await update(2001)).toBeUndefined();
    expect(await update(2047)).toEqual({ type: "congestion", ports: 1n << 63n });
    expect(socket.monitoredPorts).toBe((1n << 16n) | (1n << 63n));
    socket.monitorCongestion(false);
    expect([socket.monitoredPorts, await update(2064)]).toEqual([undefined, undefined]);
  });
});

describe("limits of a stack", () => {
  const socketOf = async (options: Omit<RdsStackOptions, "host">, port = 4000): Promise<[RdsStack, RdsSocket]> => {
    const stack = new RdsStack({ host: virtualHost(), ...options });
    const socket = stack.createSocket({ sendBufferSize: 128 << 20 });
    await socket.bind("127.0.0.1", port);
    return [stack, socket];
  };

  it("maxMessageSize: a message of 64 MiB goes, one byte more than allowed gives EMSGSIZE", async () => {
    const [stack, socket] = await socketOf({ maxMessageSize: 64 << 20 });
    const data = Buffer.alloc(64 << 20, "verbena");
    expect(socket.trySend(data, { to: "127.0.0.1:4000" })).toBe(64 << 20);
    expect(message(socket.tryReceive()).data.equals(data)).toBe(true);
    const parts = [data, Buffer.alloc(1)];
    expect(outcome(() => socket.trySendv(parts, { to: "127.0.0.1:4000" }))).toBe("EMSGSIZE");
    await stack.close();
  });

  it("maxMessageSize can be set up to 2^32 - 1, and no further", () => {
    const of = (maxMessageSize: number) => () => new RdsStack({ host: virtualHost(), maxMessageSize });
    expect(of(2 ** 32 - 1)).not.toThrow();
    expect(of(2 ** 32)).toThrow(expect.objectContaining({ code: "VERBENA_RDS_OPTION" }));
  });

  it("F13: loopbackCongestion lets ports of 127/8 push back", async () => {
    const [stack, receiver] = await socketOf({ loopbackCongestion: true });
    receiver.receiveBufferSize = LIMIT;
    const sender = stack.createSocket();
    await sender.bind("127.0.0.1");
    expect(sendUntilRefused(sender, "127.0.0.1:4000", 1000)).toEqual([11, "ENOBUFS"]);
    await stack.close();
  });

  it("maxPeers: one more gives ENOMEM", async () => {
    const rig = new UserSpaceRig(PEER, { maxPeers: 2 });
    const socket = await bound(rig, rig.local[0], 4000);
    const answers = [1, 2, 3].map((host) => outcome(() => socket.trySend("x", { to: `10.1.0.${host}:7` })));
    expect(answers).toEqual([1, 1, "ENOMEM"]);
    await rig.close();
  });

  it("answersPings: none, if so wished", async () => {
    const [stack, socket] = await socketOf({ answersPings: false });
    socket.trySend("", { to: "127.0.0.1:0" });
    expect(socket.tryReceive()).toBeUndefined();
    await stack.close();
  });

  it("an option that is none is refused, and so is a transport that is not there", () => {
    const misspelt = { host: virtualHost(), semantic: "linux" } as RdsStackOptions;
    expect(() => new RdsStack(misspelt)).toThrow("did you mean semantics?");
    const stack = new RdsStack({ host: virtualHost(), transports: [new LoopTransport()] });
    expect(outcome(() => stack.createSocket({ transport: "verbs" }))).toBe("ENOPROTOOPT");
  });
});
