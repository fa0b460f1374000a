import { VirtualClock } from "@verbena/core/testing";
import { IpAddress } from "@verbena/ib";
import { frame, mapFrame, probe, probeAnswer } from "./frames.js";
import { network, PORT, receiveText, TcpNode } from "./rig.js";
import { ScriptedPeer } from "./scripted-peer.js";

test("W01 the smaller side connects, says nothing before the peer's map, and then: map, probe with NPATHS 1, data with consecutive sequences", async () => {
  const at = network();
  await using node = new TcpNode(at(2));
  await using peer = await ScriptedPeer.listen(at(9), PORT);
  const socket = await node.socket(2001);
  socket.trySend("first", { to: `${peer.address}:7` });
  const connection = await peer.accept();
  expect(connection.socket.remoteAddress).toBe(node.address);
  await connection.send(mapFrame().subarray(0, 100));
  expect(connection.received).toBe(0);
  await connection.send(mapFrame().subarray(100));
  const map = await connection.next();
  expect(map.raw.toString("hex")).toBe(`${"00".repeat(16)}00002000${"00".repeat(4)}01${"00".repeat(23)}`);
  expect(map.payload.equals(Buffer.alloc(8192))).toBe(true);
  const probed = await connection.next();
  expect(probed).toMatchObject({ sourcePort: 1, destinationPort: 0, length: 0, flags: 0 });
  expect(probed.extensions.toString("hex")).toBe(`050001${"00".repeat(13)}`);
  const data = await connection.next();
  expect(data).toMatchObject({ sourcePort: 2001, destinationPort: 7, flags: 0, payload: Buffer.from("first") });
  expect(data.sequence).toBe(Number(probed.sequence) + 1);
});

test("W02 the larger side asks by a connection without a byte, and once the peer has called: map, probe, data", async () => {
  const at = network();
  await using node = new TcpNode(at(9));
  await using peer = await ScriptedPeer.listen(at(2), PORT);
  const socket = await node.socket(2001);
  socket.trySend("first", { to: `${peer.address}:7` });
  const nudge = await peer.accept();
  expect(await nudge.ended).toBe("end");
  expect(nudge.received).toBe(0);
  const connection = await peer.connect(node.address);
  expect((await connection.next()).flags).toBe(1);
  expect(await connection.next()).toMatchObject({ sourcePort: 1, destinationPort: 0 });
  expect((await connection.next()).payload.toString()).toBe("first");
});

test("W03 the smaller side refuses a call without a byte, and calls back within 100 ms", async () => {
  const at = network();
  await using node = new TcpNode(at(2));
  await node.socket(2001);
  await using peer = await ScriptedPeer.listen(at(9), PORT);
  const begun = performance.now();
  const nudge = await peer.connect(node.address);
  expect(await nudge.ended).toBe("reset");
  expect(nudge.received).toBe(0);
  const connection = await peer.accept();
  expect(performance.now() - begun).toBeLessThan(100);
  await connection.send(mapFrame());
  expect((await connection.next()).flags).toBe(1);
});

test("W04 a second call of the smaller side while the first stands: the first is read to its end, and the second carries on", async () => {
  const at = network();
  await using node = new TcpNode(at(9));
  const socket = await node.socket(2001);
  await using peer = await ScriptedPeer.listen(at(2), PORT);
  const first = await peer.connect(node.address);
  await first.send(mapFrame());
  await first.next();
  await first.next();
  // Sent by the peer and acknowledged by the node's TCP when the second call comes: it must not be lost.
  await first.send(frame({ sequence: 1, sport: 7, dport: 2001, payload: "over the first" }));
  const second = await peer.connect(node.address);
  await second.send(mapFrame(), frame({ sequence: 2, sport: 7, dport: 2001, payload: "over the second" }));
  expect(await receiveText(socket)).toEqual({ text: "over the first", port: 7 });
  expect(await receiveText(socket)).toEqual({ text: "over the second", port: 7 });
  expect(await first.ended).toBe("reset");
  socket.trySend("answer", { to: `${peer.address}:7` });
  expect((await second.nextData()).payload.toString()).toBe("answer");
});

test("W22 what a peer acknowledges before it has taken the connection is not believed: nothing was sent, and nothing is lost", async () => {
  const at = network();
  await using node = new TcpNode(at(2));
  await using peer = await ScriptedPeer.listen(at(9), PORT);
  const socket = await node.socket(2001);
  socket.trySend("kept", { to: `${peer.address}:7` });
  const silent = await peer.accept();
  silent.reset();
  const connection = await peer.accept();
  expect(silent.received).toBe(0);
  await connection.send(mapFrame());
  const data = await connection.nextData();
  expect(data).toMatchObject({ flags: 0, payload: Buffer.from("kept") });
});

test("W24 a peer that refuses is called again and again, after waits drawn by lot of a second at most", async () => {
  const at = network();
  await using node = new TcpNode(at(2));
  await using peer = await ScriptedPeer.listen(at(9), PORT);
  peer.refusals = 5;
  const socket = await node.socket(2001);
  socket.trySend("at last", { to: `${peer.address}:7` });
  const connection = await peer.accept();
  await connection.send(mapFrame());
  expect((await connection.nextData()).payload.toString()).toBe("at last");
  expect(peer.calls).toBe(6);
  const gaps = peer.callTimes.slice(1).map((time, i) => time - (peer.callTimes[i] ?? 0));
  expect(Math.max(...gaps)).toBeLessThan(1000);
});

test("W15 a peer whose probe has no extension gets one connection", async () => {
  const at = network();
  await using node = new TcpNode(at(2));
  const sockets = await Promise.all([2001, 2002, 2003, 2004].map((port) => node.socket(port)));
  await using peer = await ScriptedPeer.listen(at(9), PORT);
  await peer.connect(node.address);
  const connection = await peer.accept();
  await connection.send(mapFrame(), frame({ sequence: 1, sport: 1, dport: 0 }));
  for (const socket of sockets) socket.trySend("x", { to: `${peer.address}:7` });
  for (const port of [2001, 2002, 2003, 2004]) expect((await connection.nextData()).sourcePort).toBe(port);
  expect(peer.calls).toBe(1);
});

test("W30 a restarted process numbers its messages above all of its former self, so that even a repeated one is new to the peer", async () => {
  const at = network();
  await using peer = await ScriptedPeer.listen(at(9), PORT);
  let nextRx = 0;
  for (const run of [1, 2]) {
    await using node = new TcpNode(at(2));
    const socket = await node.socket(2001);
    socket.trySend(`run ${run}`, { to: `${peer.address}:7` });
    const first = await peer.accept();
    await first.send(mapFrame());
    const fresh = await first.nextData();
    expect(Number(fresh.sequence)).toBeGreaterThanOrEqual(nextRx);
    // Not acknowledged by a reading of its own, but by the TCP of this host: force a repetition by a message that is too large for that.
    const whole = Buffer.alloc(100_000);
    first.socket.pause();
    let sent = 0;
    for (let refused = false; !refused && sent < 400; ) {
      try {
        socket.trySend(whole, { to: `${peer.address}:7` });
        sent += 1;
      } catch {
        refused = true;
      }
    }
    first.reset();
    const second = await peer.accept();
    await second.send(mapFrame());
    const repeated = await second.nextData();
    expect(Number(repeated.sequence)).toBeGreaterThanOrEqual(nextRx);
    nextRx = Number(repeated.sequence) + 1;
  }
});

test("W31 a peer with another generation number has restarted: its low numbers are new, even on repeated messages", async () => {
  const at = network();
  await using node = new TcpNode(at(9));
  const socket = await node.socket(2001);
  await using peer = await ScriptedPeer.listen(at(2), PORT);
  const connection = await peer.connect(node.address);
  const generation = (sequence: number, number: string): Buffer =>
    frame({ sequence, sport: 1, dport: 0, extensions: `05000106${number}` });
  await connection.send(
    mapFrame(),
    generation(1, "00000001"),
    frame({ sequence: 500, sport: 7, dport: 2001, payload: "before" }),
    generation(1, "00000002"),
    frame({ sequence: 3, flags: 4, sport: 7, dport: 2001, payload: "after" }),
  );
  expect((await receiveText(socket)).text).toBe("before");
  expect((await receiveText(socket)).text).toBe("after");
});

test("a peer that is not in the list is turned away, and what is sent to it waits", async () => {
  const at = network();
  await using node = new TcpNode(at(9), { peers: [IpAddress.parse(at(3))] });
  const socket = await node.socket(2001);
  await using stranger = await ScriptedPeer.listen(at(2), PORT);
  await using friend = await ScriptedPeer.listen(at(3), PORT);
  const refused = await stranger.connect(node.address);
  expect(await refused.ended).toBe("reset");
  socket.trySend("secret", { to: `${stranger.address}:7` });
  const connection = await friend.connect(node.address);
  await connection.send(mapFrame(), probe(1), probeAnswer(2));
  expect((await connection.next()).flags).toBe(1);
  expect(stranger.calls).toBe(0);
  expect(node.stack.info("sendQueue")).toMatchObject([{ length: 6 }]);
});

test("a peer that calls too often is turned away, and others are not", async () => {
  const at = network();
  await using node = new TcpNode(at(9), { maxAcceptRatePerPeer: 3, maxAcceptRate: 5 }, {}, new VirtualClock());
  await node.socket(2001);
  const calls = async (last: number): Promise<readonly (string | number)[]> => {
    await using peer = await ScriptedPeer.listen(at(last), PORT);
    const outcomes = [];
    for (let call = 0; call < 4; call += 1) {
      const connection = await peer.connect(node.address);
      // Taken: the map comes. Each call replaces the one before.
      outcomes.push(await Promise.race([connection.ended, connection.next().then(({ flags }) => flags)]));
    }
    return outcomes;
  };
  expect(await calls(2)).toEqual([1, 1, 1, "reset"]);
  expect(await calls(3)).toEqual([1, 1, "reset", "reset"]);
  expect(node.counter("tcp_listen_closed_stale")).toBe(3);
});
