import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import type { RdsSocket } from "@verbena/rds";
import { frame, mapFrame, probe } from "../../packages/rds/test/tcp/frames.js";
import type { PeerConnection } from "../../packages/rds/test/tcp/scripted-peer.js";
import { waitingBytes } from "../../packages/rds/test/tcp/waiting-bytes.js";
import { KernelWire, RDS_TCP_PORT } from "./kernel-wire.js";
import { enterNamespace } from "./namespaces.js";
import { run } from "./rxe-device.js";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Waits until a list of the kernel is as it should be. */
async function until(what: () => Promise<boolean>): Promise<void> {
  while (!(await what())) await turn();
}

/** Messages to a peer in a list of the kernel. */
async function queued(socket: RdsSocket, list: "sendQueue" | "retransmitQueue", peer: string): Promise<number> {
  return (await socket.info(list)).filter(({ remote }) => remote.address === peer).length;
}

/** An address of the kernel, below those of the larger peers. */
const QUIET = "10.11.0.101";
/** Sockets of the kernel, so that the hash of their ports meets several lanes. */
const MANY = Array.from({ length: 16 }, (_, i) => 3000 + i);

describe("connections of the kernel's RDS over TCP, with a scripted peer", () => {
  let wire: KernelWire;
  /** A connection whose peer cannot answer any more: how it ends, and after which time in ms. The kernel takes half a minute. */
  let silence: Promise<{ readonly how: string; readonly afterMs: number }>;

  beforeAll(async () => {
    wire = new KernelWire("E", "10.11.0");
    // An address of its own: a map of the tests' address goes to all its peers, and then there is something to be said.
    run("ip", `-n A addr add ${QUIET}/24 dev ae0`);
    const { peer, connection, s2001, address } = await wire.lane("larger", "0001", QUIET);
    // With something unacknowledged it would repeat that, and not probe.
    await until(async () => (await queued(s2001, "retransmitQueue", address)) === 0);
    wire.keep(peer);
    await wire.reset();
    // The peer still hears, and so does the test; its route back must not be asked for then.
    for (const name of ["all", "ea0"]) writeFileSync(`/proc/sys/net/ipv4/conf/${name}/rp_filter`, "0");
    run("ip", `rule add from ${peer.address} blackhole`);
    const begun = performance.now();
    silence = connection.ended.then((how) => ({ how, afterMs: performance.now() - begun }));
  });
  afterEach(() => wire.reset());
  afterAll(() => wire.close());

  test("W02 the larger side asks by a connection without a byte, and once the peer has called: map, probe, data", async () => {
    const peer = await wire.peer("smaller");
    const socket = await wire.socket(2001);
    socket.trySend("first", { to: `${peer.address}:7` });
    const nudge = await peer.accept();
    await nudge.ended;
    expect(nudge.received).toBe(0);
    const connection = await wire.taken(peer);
    expect(await connection.nextData()).toMatchObject({ flags: 0, payload: Buffer.from("first") });
  });

  test("W03, W24 the smaller side refuses a call without a byte and calls back, again and again when it is refused", async () => {
    const peer = await wire.peer("larger");
    const socket = await wire.socket(2001);
    peer.refusals = 5;
    const nudge = await peer.connect(wire.kernel);
    await nudge.ended;
    expect(nudge.received).toBe(0);
    const connection = await peer.accept();
    expect(peer.calls).toBe(6);
    expect((await connection.next()).flags).toBe(1);
    await connection.send(mapFrame(), probe(1));
    socket.trySend("at last", { to: `${peer.address}:7` });
    expect((await connection.nextData()).payload.toString()).toBe("at last");
  });

  test("W04 a second call of the smaller side while the first stands ends without a byte, and the first goes on", async () => {
    const { peer, connection, s2001, address } = await wire.lane("smaller");
    const second = await peer.connect(wire.kernel);
    await second.ended;
    expect(second.received).toBe(0);
    s2001.trySend("over the first", { to: `${address}:7` });
    expect((await connection.nextData()).payload.toString()).toBe("over the first");
  });

  test("W15 a peer whose probe has no extension gets one connection", async () => {
    const peer = await wire.peer("larger");
    const sockets = await Promise.all(MANY.map((port) => wire.socket(port)));
    await peer.connect(wire.kernel);
    const connection = await peer.accept();
    await connection.send(mapFrame(), frame({ sequence: 1, sport: 1, dport: 0 }));
    await connection.next();
    for (const socket of sockets) socket.trySend("x", { to: `${peer.address}:7` });
    const ports = [];
    for (const _ of MANY) ports.push((await connection.nextData()).sourcePort);
    expect(ports.sort()).toEqual(MANY);
    expect(peer.calls).toBe(1);
  });

  test("W16, W17 a peer of eight paths has seven connections more, which carry messages; once it says one path all go over the first", async () => {
    const { peer, connection, address } = await wire.lane("smaller", "0008");
    const sockets = await Promise.all(MANY.map((port) => wire.socket(port)));
    const calls: PeerConnection[] = [];
    for (let call = 0; call < 8; call++) calls.push(await peer.connect(wire.kernel));
    const first = await Promise.all(calls.map((call) => Promise.race([call.next(), call.ended])));
    const more = calls.filter((_, i) => typeof first[i] === "object");
    expect(more).toHaveLength(7);
    for (const call of more) await call.send(mapFrame());
    const lanes = [connection, ...more];
    const spread = async (): Promise<readonly number[]> => {
      const before = lanes.map(({ received }) => received);
      for (const socket of sockets) socket.trySend("x", { to: `${address}:7` });
      const bytes = (): readonly number[] => lanes.map(({ received }, i) => received - (before[i] ?? 0));
      await until(() => Promise.resolve(bytes().reduce((sum, count) => sum + count) >= MANY.length * 49));
      return bytes();
    };
    const wide = await spread();
    expect(wide.filter((count) => count > 0).length).toBeGreaterThan(1);
    await connection.send(probe(2, "0001"));
    // The answer says that the kernel has taken it in.
    while ((await connection.next()).destinationPort !== 1);
    expect(await spread()).toEqual([MANY.length * 49, 0, 0, 0, 0, 0, 0, 0]);
  });

  test("W20 after a reset by a peer that does not read, what was sent and not acknowledged comes first, flagged and with its numbers, then the rest", async () => {
    const limits = "/proc/sys/net/ipv4/tcp_rmem";
    const before = readFileSync(limits, "latin1");
    writeFileSync(limits, "4096 8192 8192");
    try {
      const { peer, connection, s2001, address } = await wire.lane("smaller");
      s2001.trySend("before", { to: `${address}:7` });
      const { sequence } = await connection.nextData();
      connection.socket.pause();
      const length = 20_000;
      for (let i = 0; i < 5; i++) s2001.trySend(Buffer.alloc(length, i), { to: `${address}:7` });
      // What the peer's TCP has, whether its program has been given it or not.
      const got = (): number => connection.socket.readableLength + waitingBytes(connection.socket);
      await until(
        async () => (await queued(s2001, "retransmitQueue", address)) > 0 && waitingBytes(connection.socket) > 2000,
      );
      const whole = Math.floor(got() / (length + 48));
      connection.reset();
      const again = await wire.taken(peer);
      const messages = [await again.nextData()];
      const begun = messages[0]?.payload[0] ?? 0;
      expect(begun).toBeLessThanOrEqual(whole);
      for (let i = begun + 1; i < 5; i++) messages.push(await again.nextData());
      expect(messages.map(({ payload }) => payload.equals(Buffer.alloc(length, payload[0])))).toEqual(
        messages.map(() => true),
      );
      expect(messages.map(({ payload }) => payload[0])).toEqual(messages.map((_, i) => begun + i));
      expect(messages.map((message) => message.sequence)).toEqual(
        messages.map((_, i) => Number(sequence) + 1 + begun + i),
      );
      const flags = messages.map((message) => message.flags & 4);
      expect(flags[0]).toBe(4);
      expect(flags).toEqual([...flags].sort((a, b) => b - a));
    } finally {
      writeFileSync(limits, before);
    }
  });

  test("W21 what the peer has acknowledged is not sent again after its reset", async () => {
    const { peer, connection, s2001, address } = await wire.lane("smaller");
    for (let i = 0; i < 10; i++) s2001.trySend(`old ${i}`, { to: `${address}:7` });
    for (let i = 0; i < 10; i++) await connection.nextData();
    await until(async () => (await queued(s2001, "retransmitQueue", address)) === 0);
    connection.reset();
    const again = await wire.taken(peer);
    s2001.trySend("new", { to: `${address}:7` });
    expect(await again.nextData()).toMatchObject({ flags: 0, payload: Buffer.from("new") });
  });

  test("W35 eight mebibytes both ways at once, in messages of random sizes, arrive whole and in order", async () => {
    const { connection, s2001, address } = await wire.lane("smaller");
    const sizes: number[] = [];
    for (let total = 0, state = 12_345; total < 8 << 20; total += sizes.at(-1) ?? 0) {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      sizes.push(state % 65_537);
    }
    const payload = (i: number): Buffer => Buffer.alloc(sizes[i] ?? 0, i % 251);
    const fromKernel = async (): Promise<void> => {
      for (const i of sizes.keys()) {
        if (!(await connection.nextData()).payload.equals(payload(i)))
          throw new Error(`message ${i} of the kernel is another`);
      }
    };
    const fromPeer = async (): Promise<void> => {
      for (const i of sizes.keys()) {
        const item = await s2001.receive();
        if (item.type !== "message" || !item.data.equals(payload(i)))
          throw new Error(`message ${i} to the kernel is another`);
      }
    };
    const send = async (): Promise<void> => {
      for (const i of sizes.keys()) {
        await s2001.send(payload(i), { to: `${address}:7` });
        await connection.send(frame({ sequence: 2 + i, sport: 7, dport: 2001, payload: payload(i) }));
      }
    };
    await Promise.all([send(), fromKernel(), fromPeer()]);
    expect(s2001.tryReceive()).toBeUndefined();
  });

  test("W36 a program in the kernel's own namespace that calls is turned away without a byte", async () => {
    const leave = enterNamespace("A");
    const socket = connect({ host: wire.kernel, port: RDS_TCP_PORT });
    let received = 0;
    socket.on("data", (bytes) => {
      received += bytes.length;
    });
    try {
      await once(socket, "connect");
    } finally {
      leave();
    }
    await once(socket, "close");
    expect(received).toBe(0);
  });

  test("W25 a peer that has gone silent while nothing was to be said is given up after five probes, one every five seconds", async () => {
    const { how, afterMs } = await silence;
    expect(how).toBe("reset");
    expect(afterMs).toBeGreaterThan(25_000);
  });
});
