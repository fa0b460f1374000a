import { frame, mapFrame, probe } from "./frames.js";
import { lane, type PeerRole } from "./lane.js";
import { receiveText } from "./rig.js";

const data = (sequence: number, payload: string, more: object = {}): Buffer =>
  frame({ sequence, sport: 7, dport: 2001, payload, ...more });

describe.each<PeerRole>(["smaller", "larger"])("a peer with the %s address", (role) => {
  test("W05 a header that comes one byte at a time, and then its payload, is delivered", async () => {
    await using rig = await lane(role);
    const bytes = data(2, "in pieces");
    for (const byte of bytes.subarray(0, 48)) {
      await rig.connection.send(Buffer.from([byte]));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await rig.connection.send(bytes.subarray(48));
    expect((await receiveText(rig.s2001)).text).toBe("in pieces");
  });

  test("W06 a thousand frames in one write are delivered in order", async () => {
    await using rig = await lane(role);
    await rig.connection.send(...Array.from({ length: 1000 }, (_, i) => data(2 + i, String(i))));
    for (let i = 0; i < 1000; i++) expect((await receiveText(rig.s2001)).text).toBe(String(i));
  });

  test("W07 data for a port that nobody has bound is dropped, the next frame is delivered", async () => {
    await using rig = await lane(role);
    await rig.connection.send(data(2, "lost", { dport: 3000 }), data(3, "found"));
    expect((await receiveText(rig.s2001)).text).toBe("found");
    expect(rig.node.counter("recv_drop_no_sock")).toBe(1);
  });

  test("W08 an empty data frame is an empty message from its source port", async () => {
    await using rig = await lane(role);
    await rig.connection.send(data(2, ""));
    expect(await receiveText(rig.s2001)).toEqual({ text: "", port: 7 });
  });

  test("W09 a frame is dropped only if it is flagged as repeated and its sequence is below the expected one", async () => {
    await using rig = await lane(role);
    const script = [
      [10, 0],
      [5, 0],
      [5, 4],
      [6, 4],
      [4, 4],
      [100, 4],
      [50, 4],
      [101, 0],
    ] as const;
    await rig.connection.send(...script.map(([sequence, flags]) => data(sequence, String(sequence), { flags })));
    for (const text of ["10", "5", "6", "100", "101"]) expect((await receiveText(rig.s2001)).text).toBe(text);
    expect(rig.node.counter("recv_drop_old_seq")).toBe(3);
  });

  test("W10 flags 0x02, 0x40 and 0x05 are flags of data", async () => {
    await using rig = await lane(role);
    await rig.connection.send(...[0x02, 0x40, 0x05].map((flags, i) => data(2 + i, String(flags), { flags })));
    for (const text of ["2", "64", "5"]) expect((await receiveText(rig.s2001)).text).toBe(text);
  });

  test("W11 a port of the peer's map refuses with ENOBUFS, its neighbour does not", async () => {
    await using rig = await lane(role);
    await rig.connection.send(mapFrame(99), data(2, "after the map"));
    await receiveText(rig.s2001);
    expect(() => rig.s2001.trySend("x", { to: `${rig.peer.address}:99` })).toThrow(
      expect.objectContaining({ code: "VERBENA_RDS_ENOBUFS" }),
    );
    expect(rig.s2001.trySend("x", { to: `${rig.peer.address}:98` })).toBe(1);
  });

  test("W12 a map of another length than 8192 changes nothing, and ends the connection", async () => {
    await using rig = await lane(role);
    await rig.connection.send(frame({ flags: 1, payload: Buffer.alloc(100, 0xff) }));
    await rig.connection.ended;
    expect(rig.s2001.trySend("x", { to: `${rig.peer.address}:7` })).toBe(1);
  });

  test("W13 a ping is answered by an empty frame from port 0 with the next sequence", async () => {
    await using rig = await lane(role);
    await rig.connection.send(frame({ sequence: 2, sport: 9, dport: 0 }));
    expect(await rig.connection.next()).toMatchObject({
      sourcePort: 0,
      destinationPort: 9,
      length: 0,
      sequence: rig.probed + 1,
    });
  });

  test("W14 a probe is answered with NPATHS 1", async () => {
    await using rig = await lane(role);
    await rig.connection.send(probe(2, "0008"));
    const answer = await rig.connection.next();
    expect(answer).toMatchObject({ sourcePort: 0, destinationPort: 1, length: 0 });
    expect(answer.extensions.toString("hex")).toBe(`050001${"00".repeat(13)}`);
  });

  test("W18 extension bytes of data are left alone", async () => {
    await using rig = await lane(role);
    await rig.connection.send(data(2, "extended", { extensions: "0800050001" }));
    expect((await receiveText(rig.s2001)).text).toBe("extended");
  });

  test("W19 a wrong checksum drops and counts the message, and keeps the connection", async () => {
    await using rig = await lane(role);
    await rig.connection.send(data(2, "wrong", { checksum: 0x1234 }), data(3, "right"));
    expect((await receiveText(rig.s2001)).text).toBe("right");
    expect(rig.node.counter("recv_drop_bad_checksum")).toBe(1);
  });

  test("W26 a frame of two mebibytes ends the connection, before any of it has come", async () => {
    await using rig = await lane(role);
    await rig.connection.send(data(2, "", { length: 2 << 20 }));
    await rig.connection.ended;
    const next = await rig.again();
    await next.send(data(2, "short"));
    expect((await receiveText(rig.s2001)).text).toBe("short");
  });

  test("W32 port 0 may send to a bound port; port 1 receives from port 0 alone", async () => {
    await using rig = await lane(role);
    await rig.connection.send(
      data(2, "from 0", { sport: 0 }),
      data(3, "to 1", { sport: 9, dport: 1 }),
      data(4, "last"),
    );
    expect(await receiveText(rig.s2001)).toEqual({ text: "from 0", port: 0 });
    expect((await receiveText(rig.s2001)).text).toBe("last");
  });

  test("W33 a heartbeat is ignored", async () => {
    await using rig = await lane(role);
    await rig.connection.send(frame({ sequence: 2, flags: 0x08 }), data(3, "alive"));
    expect((await receiveText(rig.s2001)).text).toBe("alive");
    expect(rig.connection.waiting).toBe(0);
  });

  test("W34 ack, credit, padding and checksum of every header are 0", async () => {
    await using rig = await lane(role);
    for (let i = 0; i < 20; i++) rig.s2001.trySend(Buffer.alloc(i * 100), { to: `${rig.peer.address}:7` });
    await rig.connection.send(probe(2), frame({ sequence: 3, sport: 9, dport: 0 }));
    for (let i = 0; i < 22; i++) {
      const { raw } = await rig.connection.next();
      expect(raw.subarray(8, 16).equals(Buffer.alloc(8))).toBe(true);
      expect(raw.subarray(25, 32).equals(Buffer.alloc(7))).toBe(true);
    }
  });
});
