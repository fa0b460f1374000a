import type { RdsSocket } from "../../src/index.js";
import { network, receiveText, TcpNode } from "./rig.js";

const coded = (errno: string) => expect.objectContaining({ code: `VERBENA_RDS_${errno}` }) as Error;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Sends until it is refused; how many went, and why no more did. */
function sendUntilRefused(
  socket: RdsSocket,
  to: string,
  length: number,
  most = 1000,
): { count: number; code: unknown } {
  for (let count = 0; count < most; count++) {
    try {
      socket.trySend(Buffer.alloc(length, count), { to });
    } catch (error) {
      return { count, code: (error as { code?: unknown }).code };
    }
  }
  return { count: most, code: undefined };
}

/** Sends a kilobyte each turn until that is refused. */
async function fill(socket: RdsSocket, to: string): Promise<{ sent: number; code: unknown }> {
  for (let sent = 0; ; ) {
    const { count, code } = sendUntilRefused(socket, to, 1000, 1);
    sent += count;
    if (code !== undefined) return { sent, code };
    await turn();
  }
}

/** What is there and what comes until a text that is given. */
async function receiveUntil(socket: RdsSocket, last: string): Promise<readonly string[]> {
  const texts: string[] = [];
  while (texts.at(-1) !== last) texts.push((await receiveText(socket)).text);
  return texts;
}

describe.each([
  ["smaller", 2, 9],
  ["larger", 9, 2],
])("device with the %s address", (_, device, far) => {
  /** The device alone; its peer comes when the test says so. */
  function rig() {
    const at = network();
    return { dut: new TcpNode(at(device)), peerAddress: at(far), startPeer: () => new TcpNode(at(far)) };
  }

  /** Both, connected. */
  async function connected() {
    const { dut, startPeer } = rig();
    const peer = startPeer();
    const here = await dut.socket(4000, { sendBufferSize: 10_000 });
    const there = await peer.socket(4000, { receiveBufferSize: 10_000 });
    here.trySend("first", { to: `${peer.address}:4000` });
    await receiveText(there);
    await here.drain();
    return { dut, peer, here, there, to: `${peer.address}:4000` };
  }

  test("B07 connect to an unreachable address sends nothing", async () => {
    const { dut, peerAddress, startPeer } = rig();
    await using node = dut;
    const socket = await node.socket(4000);
    socket.connect(`${peerAddress}:7`);
    await using peer = startPeer();
    await peer.socket(7);
    await turn();
    expect(node.stack.info("connections")).toEqual([]);
    expect(peer.stack.info("connections")).toEqual([]);
  });

  test("C11 C13 C15 L03 to an unreachable peer as much is taken as the limit says; it arrives in order once the peer is there", async () => {
    const { dut, peerAddress, startPeer } = rig();
    await using node = dut;
    const socket = await node.socket(4000, { sendBufferSize: 10_000 });
    const to = `${peerAddress}:4000`;
    expect(sendUntilRefused(socket, to, 4000)).toEqual({ count: 3, code: "VERBENA_RDS_EAGAIN" });
    expect(() => socket.trySend("", { to })).toThrow(coded("EAGAIN"));
    expect(socket.readiness.writable).toBe(false);
    await using peer = startPeer();
    const there = await peer.socket(4000);
    for (const fill of [0, 1, 2]) {
      const item = await there.receive();
      expect(item.type === "message" && item.data.equals(Buffer.alloc(4000, fill))).toBe(true);
    }
    await socket.writable();
    await socket.drain();
  });

  test("C12 the last message may go beyond the limit", async () => {
    const { dut, peerAddress } = rig();
    await using node = dut;
    const socket = await node.socket(4000, { sendBufferSize: 10_000 });
    const to = `${peerAddress}:4000`;
    expect(socket.trySend(Buffer.alloc(9999), { to })).toBe(9999);
    expect(socket.trySend(Buffer.alloc(10_000), { to })).toBe(10_000);
    expect(() => socket.trySend("x", { to })).toThrow(coded("EAGAIN"));
  });

  test("C14 a send that waits for room ends with ETIMEDOUT after its time-out", async () => {
    const { dut, peer, here, to } = await connected();
    await using node = dut;
    await peer[Symbol.asyncDispose]();
    sendUntilRefused(here, to, 4000);
    here.sendTimeoutMs = 200;
    const begun = node.host.clock.now();
    await expect(here.send("x", { to })).rejects.toThrow(coded("ETIMEDOUT"));
    expect(node.host.clock.now() - begun).toBeGreaterThanOrEqual(199);
  });

  test("C19 C20 the first sends to a peer that was never there return at once, from any port", async () => {
    const { dut, peerAddress } = rig();
    await using node = dut;
    for (let port = 4000; port < 4016; port++) {
      const socket = await node.socket(port, { sendTimeoutMs: 200 });
      expect(socket.trySend("x", { to: `${peerAddress}:7` })).toBe(1);
      expect(await socket.send("yy", { to: `${peerAddress}:7` })).toBe(2);
    }
  });

  test("F07 a receiver that stops makes its port congested at the sender, others not; below half of its limit sends go on", async () => {
    const { dut, peer, here, there, to } = await connected();
    await using node = dut;
    await using other = peer;
    here.sendBufferSize = 1_000_000;
    const { sent, code } = await fill(here, to);
    expect(code).toBe("VERBENA_RDS_ENOBUFS");
    expect(sent).toBeGreaterThanOrEqual(11);
    expect(here.trySend("x", { to: `${other.address}:4001` })).toBe(1);
    await here.drain();
    for (let left = sent; left > 5; left--) await there.receive();
    await turn();
    expect(() => here.trySend("x", { to })).toThrow(coded("ENOBUFS"));
    await there.receive();
    await here.uncongested();
    expect(here.trySend("x", { to })).toBe(1);
    expect(node.counter("cong_update_received")).toBeGreaterThanOrEqual(3);
  });

  test("F15 a peer that has restarted is congested no more", async () => {
    const { dut, peer, here, there, to } = await connected();
    await using node = dut;
    here.sendBufferSize = 1_000_000;
    await fill(here, to);
    expect(there.readiness.readable).toBe(true);
    const { address } = peer;
    await peer[Symbol.asyncDispose]();
    await using again = new TcpNode(address);
    const fresh = await again.socket(4000);
    // The smaller side calls back by itself; the larger has to be asked.
    await fresh.send("hello", { to: `${node.address}:4000` });
    await receiveText(here);
    expect(here.trySend("free", { to })).toBe(4);
    await receiveUntil(fresh, "free");
  });

  test("G03 G04 G06 cancelled messages give their room back and never arrive, the others do", async () => {
    const { dut, peerAddress, startPeer } = rig();
    await using node = dut;
    const socket = await node.socket(4000, { sendBufferSize: 10_000 });
    for (const port of [7, 7, 7, 8, 8]) socket.trySend(`for ${port}`, { to: `${peerAddress}:${port}` });
    socket.cancel(`${peerAddress}:7`);
    expect(node.stack.info("sendQueue").map(({ remote }) => remote.port)).toEqual([8, 8]);
    await using peer = startPeer();
    const seven = await peer.socket(7);
    const eight = await peer.socket(8);
    expect((await receiveText(eight)).text).toBe("for 8");
    expect((await receiveText(eight)).text).toBe("for 8");
    expect(seven.tryReceive()).toBeUndefined();
    await socket.drain();
    socket.cancel();
    expect(socket.readiness.writable).toBe(true);
  });

  test("G05 L04 a send that waits for room goes on when messages are cancelled", async () => {
    const { dut, peerAddress } = rig();
    await using node = dut;
    const socket = await node.socket(4000, { sendBufferSize: 10_000 });
    const to = `${peerAddress}:7`;
    sendUntilRefused(socket, to, 4000);
    const waiting = socket.send("x", { to });
    socket.cancel();
    expect(await waiting).toBe(1);
    expect(socket.readiness.writable).toBe(true);
  });

  test("G07 of a hundred messages of a socket that closes at once a prefix arrives, in order", async () => {
    const { dut, peer, here, there } = await connected();
    await using node = dut;
    await using other = peer;
    const sender = await node.socket(5000);
    for (let i = 0; i < 100; i++) sender.trySend(String(i), { to: `${other.address}:4000` });
    await turn();
    await turn();
    await sender.close();
    here.trySend("end", { to: `${other.address}:4000` });
    const texts = (await receiveUntil(there, "end")).slice(0, -1);
    expect(texts).toEqual(Array.from({ length: texts.length }, (_unused, i) => String(i)));
  });

  test("G09 close with messages for an unreachable peer returns at once, and nothing of them is left", async () => {
    const { dut, peerAddress } = rig();
    await using node = dut;
    const socket = await node.socket(4000);
    socket.trySend("x", { to: `${peerAddress}:7` });
    await socket.close();
    expect(node.stack.info("sendQueue")).toEqual([]);
  });

  test("H01 H03 each of eight sockets gets the pong of its own ping, an empty message from port 0", async () => {
    const { dut, peer } = await connected();
    await using node = dut;
    await using other = peer;
    const sockets = await Promise.all(Array.from({ length: 8 }, (_unused, i) => node.socket(5000 + i)));
    for (const socket of sockets) socket.trySend("", { to: `${other.address}:0` });
    for (const socket of sockets) expect(await receiveText(socket)).toEqual({ text: "", port: 0 });
    expect(other.counter("recv_ping")).toBeGreaterThanOrEqual(8);
  });

  test("H06 messages for an unreachable peer are listed with their lengths and consecutive sequences", async () => {
    const { dut, peerAddress } = rig();
    await using node = dut;
    const socket = await node.socket(4000);
    for (const length of [10, 20, 30]) socket.trySend(Buffer.alloc(length), { to: `${peerAddress}:7` });
    const listed = node.stack.info("sendQueue");
    expect(listed.map(({ length }) => length)).toEqual([10, 20, 30]);
    const [first = { sequence: 0n }] = listed;
    expect(listed.map(({ sequence }) => sequence - first.sequence)).toEqual([0n, 1n, 2n]);
  });

  test("H07 a connection is listed with its transport, as connected, and with sequences that have moved", async () => {
    const { dut, peer, here, to } = await connected();
    await using node = dut;
    await using other = peer;
    const [before] = node.stack.info("connections");
    expect(before).toMatchObject({ transport: "tcp", remote: other.address, isConnected: true, isConnecting: false });
    here.trySend("one more", { to });
    await here.drain();
    const [after] = node.stack.info("connections");
    expect(after?.nextTx ?? 0n).toBeGreaterThan(before?.nextTx ?? 0n);
    expect(node.stack.info("tcpSockets")).toMatchObject([{ local: node.address, remote: other.address }]);
  });
});
