import { cutFrames, frame } from "./frames.js";
import { lane, type PeerRole } from "./lane.js";
import { receiveText } from "./rig.js";
import { waitingBytes } from "./waiting-bytes.js";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Messages that are whole in so many bytes of a stream that begins with a map and a probe. */
const wholeMessages = (bytes: number, length: number): number => Math.floor((bytes - 8240 - 48) / (length + 48));

describe.each<PeerRole>(["smaller", "larger"])("a peer with the %s address", (role) => {
  test("W20 after a reset by a peer that does not read, what was sent and not acknowledged comes first, flagged and with its numbers, then the rest", async () => {
    await using rig = await lane(role);
    rig.connection.socket.pause();
    const length = 1_000_000;
    const count = 40;
    for (let i = 0; i < count; i++) rig.s2001.trySend(Buffer.alloc(length, i), { to: `${rig.peer.address}:7` });
    // The peer's TCP has no room any more.
    while (rig.node.counter("tcp_sndbuf_full") === 0) await turn();
    const acknowledged = rig.node.stack.info("tcpSockets")[0]?.lastSeenUna ?? 0;
    const got = rig.connection.received + waitingBytes(rig.connection.socket);
    rig.connection.reset();
    const again = await rig.again();
    const head = await again.nextData();
    const first = head.payload[0] ?? 0;
    expect(first).toBeGreaterThanOrEqual(wholeMessages(acknowledged, length));
    expect(first).toBeLessThanOrEqual(wholeMessages(got, length));
    let isFresh = false;
    for (let i = first; i < count; i++) {
      const message = i === first ? head : await again.nextData();
      isFresh ||= message.flags === 0;
      expect(message.flags).toBe(isFresh ? 0 : 4);
      // The new connection's probe has a number between the repeated and the fresh.
      expect(message.sequence).toBe(rig.probed + 1 + i + (isFresh ? 1 : 0));
      expect(message.payload.equals(Buffer.alloc(length, i))).toBe(true);
    }
    expect(isFresh).toBe(true);
    await rig.s2001.drain();
  });

  test("W21 what the peer has acknowledged is not sent again after its reset", async () => {
    await using rig = await lane(role);
    for (let i = 0; i < 10; i++) rig.s2001.trySend(`old ${i}`, { to: `${rig.peer.address}:7` });
    for (let i = 0; i < 10; i++) await rig.connection.nextData();
    await rig.s2001.drain();
    rig.connection.reset();
    const again = await rig.again();
    rig.s2001.trySend("new", { to: `${rig.peer.address}:7` });
    expect(await again.nextData()).toMatchObject({ flags: 0, payload: Buffer.from("new") });
  });

  test("W23 a hundred messages and a part of one, and then the end: a hundred are delivered", async () => {
    await using rig = await lane(role);
    const messages = Array.from({ length: 101 }, (_, i) =>
      frame({ sequence: 2 + i, sport: 7, dport: 2001, payload: `${i}` }),
    );
    const bytes = Buffer.concat(messages);
    await rig.connection.send(bytes.subarray(0, bytes.length - 1));
    rig.connection.close();
    for (let i = 0; i < 100; i++) expect((await receiveText(rig.s2001)).text).toBe(String(i));
    const again = await rig.again();
    await again.send(frame({ sequence: 200, sport: 7, dport: 2001, payload: "next" }));
    expect((await receiveText(rig.s2001)).text).toBe("next");
  });

  test("W28 W29 a socket over its limit is in the map, takes what comes all the same, and leaves the map below half of it", async () => {
    await using rig = await lane(role, { s2002Buffer: 4000 });
    const send = (count: number, from: number): Promise<void> =>
      rig.connection.send(
        ...Array.from({ length: count }, (_, i) =>
          frame({ sequence: from + i, sport: 7, dport: 2002, payload: Buffer.alloc(1000) }),
        ),
      );
    await send(6, 2);
    const full = await rig.connection.next();
    expect(full.flags).toBe(1);
    expect(full.payload[250]).toBe(0x04);
    await send(10, 8);
    await rig.connection.send(frame({ sequence: 18, sport: 7, dport: 2001, payload: "all are there" }));
    await receiveText(rig.s2001);
    for (let i = 0; i < 14; i++) await rig.s2002.receive();
    // Two are left, 2000 bytes: half of the limit, which is not below half.
    expect(rig.connection.waiting).toBe(0);
    await rig.s2002.receive();
    const free = await rig.connection.next();
    expect(free.flags).toBe(1);
    expect(free.payload[250]).toBe(0);
    await rig.s2002.receive();
  });

  test("W35 eight mebibytes both ways at once, in messages of random sizes, arrive whole and in order", async () => {
    await using rig = await lane(role);
    const sizes: number[] = [];
    let state = 12345;
    for (let total = 0; total < 8 << 20; total += sizes.at(-1) ?? 0) {
      state = (Math.imul(state, 1103515245) + 12345) >>> 0;
      sizes.push(state % 65537);
    }
    const payload = (i: number): Buffer => Buffer.alloc(sizes[i] ?? 0, i % 251);
    const fromNode = async (): Promise<void> => {
      for (let i = 0; i < sizes.length; i++) {
        const message = await rig.connection.nextData();
        expect(message.payload.equals(payload(i))).toBe(true);
      }
    };
    const fromPeer = async (): Promise<void> => {
      for (let i = 0; i < sizes.length; i++) {
        const item = await rig.s2001.receive();
        expect(item.type === "message" && item.data.equals(payload(i))).toBe(true);
      }
    };
    const send = async (): Promise<void> => {
      for (let i = 0; i < sizes.length; i++) {
        await rig.s2001.send(payload(i), { to: `${rig.peer.address}:7` });
        await rig.connection.send(frame({ sequence: 2 + i, sport: 7, dport: 2001, payload: payload(i) }));
      }
    };
    await Promise.all([send(), fromNode(), fromPeer()]);
  });
});

test("the script's own cutter gives back what is not whole", () => {
  const whole = frame({ sequence: 1, payload: "abc" });
  const cut = cutFrames(Buffer.concat([whole, whole.subarray(0, 50)]));
  expect(cut.frames).toHaveLength(1);
  expect(cut.rest).toHaveLength(50);
});
