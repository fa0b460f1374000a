import type { PeerLink } from "@verbena/core/sdk";
import { IpAddress } from "@verbena/ib";
import { MessageMemory } from "../memory/message-memory.js";
import { CongestionMap } from "../wire/congestion-map.js";
import { decodeHeader, encodeHeader, type HeaderFields, type MessageHeader } from "../wire/header.js";
import { HEADER_SIZE } from "../wire/header-layout.js";
import { createCounters } from "./counters.js";
import { OutgoingMessage } from "./outgoing-message.js";
import { Peer, type PeerOwner } from "./peer.js";

const FIRST = 1_700_000_000_000_000;

function rig() {
  const delivered: { readonly sequence: unknown; readonly from: number; readonly to: number }[] = [];
  const released: number[] = [];
  const counters = createCounters();
  const owner: PeerOwner = {
    local: { address: IpAddress.parse("10.0.0.1"), scopeId: 0 },
    map: new CongestionMap(),
    counters,
    sendMemory: new MessageMemory(),
    answersPings: true,
    deliver: (_peer, to, { source, sequence }) => delivered.push({ sequence, from: source.port, to }),
    rests: jest.fn(),
    replaceMap: (peer, bits) => void peer.foreignMap.replace(bits),
  };
  const link: PeerLink = { state: "down", wake: jest.fn(), close: jest.fn() };
  const peer = new Peer(owner, { address: IpAddress.parse("10.0.0.2"), scopeId: 0 }, new CongestionMap(), FIRST);
  peer.attach(link);
  const send = (text: string, port = 7): void =>
    peer.send(
      new OutgoingMessage(peer.room(text.length), 2001, port, Buffer.from(text), text.length, {
        release: (length) => released.push(length),
      }),
    );
  /** All that is to be sent now, by header and payload. */
  const sent = (): readonly (MessageHeader & { readonly text: string; readonly end: number })[] => {
    const all = [];
    for (let frame = peer.next(); frame !== undefined; frame = peer.next()) {
      const text = frame.bytes.toString("latin1", HEADER_SIZE, Math.min(frame.bytes.length, HEADER_SIZE + 20));
      all.push({ ...decodeHeader(frame.bytes), text, end: frame.end });
    }
    return all;
  };
  const receive = (fields: Partial<HeaderFields>, payload: Buffer = Buffer.alloc(fields.length ?? 0)): void => {
    const header = Buffer.alloc(HEADER_SIZE + 5);
    encodeHeader(header, 5, { sequence: 1, length: payload.length, sourcePort: 7, destinationPort: 2001, ...fields });
    peer.received(header, 5, payload);
  };
  return { peer, owner, link, counters, delivered, released, send, sent, receive };
}

const flagsOf = (frames: readonly MessageHeader[]): readonly number[] => frames.map(({ flags }) => flags);

describe("a peer of the engine, sending", () => {
  it("gives nothing before it is up, then map, probe with one path, messages with consecutive numbers", () => {
    const { peer, send, sent } = rig();
    send("one");
    expect([sent(), peer.hasWork]).toEqual([[], true]);
    peer.connectionUp();
    send("two");
    const [map, probe, one, two, ...rest] = sent();
    expect(rest).toEqual([]);
    expect(map).toMatchObject({ flags: 1, sequence: 0, length: 8192, sourcePort: 0, destinationPort: 0 });
    expect(probe).toMatchObject({ sequence: FIRST, sourcePort: 1, destinationPort: 0, length: 0 });
    expect(probe?.extensions.subarray(0, 4).toString("hex")).toBe("05000100");
    expect([one, two]).toMatchObject([
      { sequence: FIRST + 1, text: "one", flags: 0 },
      { sequence: FIRST + 2, text: "two", flags: 0 },
    ]);
    expect(map?.end).toBe(8240);
    expect(two?.end).toBe(8240 + 48 + 51 + 51);
  });

  it("W34: leaves ack, credit, padding and checksum at 0", () => {
    const { peer, send } = rig();
    send("x");
    peer.connectionUp();
    for (let frame = peer.next(); frame !== undefined; frame = peer.next()) {
      expect(decodeHeader(frame.bytes)).toMatchObject({ ack: 0, credit: 0, checksum: 0 });
      expect(frame.bytes.readUInt32BE(26)).toBe(0);
    }
  });

  it("frees messages whose last byte has been acknowledged", () => {
    const { peer, send, sent, released } = rig();
    peer.connectionUp();
    send("one");
    send("three");
    const [, , one] = sent();
    peer.acked((one?.end ?? 0) - 1);
    expect(released).toEqual([]);
    peer.acked(one?.end ?? 0);
    expect(released).toEqual([3]);
    peer.acked(1e9);
    expect([released, peer.hasWork]).toEqual([[3, 5], false]);
  });

  it("after a reconnect: map, the unacknowledged with their old numbers and flag 4, a fresh probe, what was never sent", () => {
    const { peer, send, sent } = rig();
    peer.connectionUp();
    send("a");
    send("b");
    const [, , a] = sent();
    peer.acked(a?.end ?? 0);
    peer.connectionDown();
    send("c");
    peer.connectionUp();
    const frames = sent();
    expect(flagsOf(frames)).toEqual([1, 4, 0, 0]);
    expect(frames.slice(1)).toMatchObject([
      { sequence: FIRST + 2, text: "b" },
      { sequence: FIRST + 3, sourcePort: 1 },
      { sequence: FIRST + 4, text: "c" },
    ]);
  });

  it("keeps numbers rising in the order of sending, over any number of breaks", () => {
    const { peer, send, sent } = rig();
    const seen = new Map<string, unknown>();
    for (let round = 0; round < 5; round += 1) {
      send(`m${round}`);
      peer.connectionUp();
      const numbered = sent().slice(1);
      const numbers = numbered.map(({ sequence }) => Number(sequence));
      expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
      for (const { text, sequence } of numbered.filter(({ text }) => text !== "")) {
        expect(seen.get(text) ?? sequence).toBe(sequence);
        seen.set(text, sequence);
      }
      peer.connectionDown();
    }
  });

  it("sends nothing again that was cancelled while it was on its way", () => {
    const { peer, send, sent, released } = rig();
    peer.connectionUp();
    send("seven", 7);
    send("eight", 8);
    sent();
    expect(peer.cancel((message) => message.destinationPort === 7)).toBe(1);
    expect(released).toEqual([5]);
    peer.connectionDown();
    peer.connectionUp();
    expect(sent().map(({ text }) => text)).toEqual([expect.any(String), "eight", ""]);
  });

  it("tells of a changed map before anything else, once however often it changed", () => {
    const { peer, owner, send, sent } = rig();
    peer.connectionUp();
    sent();
    send("x");
    owner.map.set(2002, true);
    peer.mapChanged();
    peer.mapChanged();
    expect(flagsOf(sent())).toEqual([1, 0]);
  });

  it("says nothing of a changed map while it is down: the map comes first when it is up", () => {
    const { peer, sent, counters } = rig();
    peer.mapChanged();
    expect([sent(), counters.cong_update_queued]).toEqual([[], 0]);
  });
});

describe("a peer of the engine, receiving", () => {
  it("W09: drops a message only if it is repeated and older than the last", () => {
    const { receive, delivered, counters } = rig();
    for (const [sequence, flags] of [
      [10, 0],
      [5, 0],
      [5, 4],
      [6, 4],
      [4, 4],
      [100, 4],
      [50, 4],
      [101, 0],
    ] as const) {
      receive({ sequence, flags });
    }
    expect(delivered.map(({ sequence }) => sequence)).toEqual([10, 5, 6, 100, 101]);
    expect(counters.recv_drop_old_seq).toBe(3);
  });

  it("W10: takes other flags for data", () => {
    const { receive, delivered } = rig();
    for (const [index, flags] of [0x02, 0x40, 0x05].entries()) receive({ sequence: index, flags });
    expect(delivered).toHaveLength(3);
  });

  it("W11, W12: takes a map of 8192 bytes, and no other", () => {
    const { receive, peer } = rig();
    const map = new CongestionMap();
    map.set(99, true);
    receive({ sequence: 0, flags: 1 }, map.frame().subarray(HEADER_SIZE));
    expect([peer.isCongested(99), peer.isCongested(98)]).toEqual([true, false]);
    receive({ sequence: 0, flags: 1 }, Buffer.alloc(100));
    expect(peer.isCongested(99)).toBe(true);
  });

  it("W13, W14: answers a ping by an empty pong, a probe by one that says one path", () => {
    const { receive, peer, sent, counters } = rig();
    peer.connectionUp();
    sent();
    receive({ sourcePort: 9, destinationPort: 0, sequence: 1 });
    receive({ sourcePort: 1, destinationPort: 0, sequence: 2, extensions: Buffer.from("050008", "hex") });
    const [pong, answer] = sent();
    expect(pong).toMatchObject({ sourcePort: 0, destinationPort: 9, length: 0, sequence: FIRST + 1 });
    expect(answer).toMatchObject({ sourcePort: 0, destinationPort: 1, length: 0, sequence: FIRST + 2 });
    expect(pong?.extensions.every((byte) => byte === 0)).toBe(true);
    expect(answer?.extensions.subarray(0, 4).toString("hex")).toBe("05000100");
    expect(counters).toMatchObject({ recv_ping: 2, send_pong: 2 });
  });

  it("answers no ping from a congested port, and no more than a thousand that are not read", () => {
    const { receive, peer, counters } = rig();
    peer.foreignMap.set(9, true);
    receive({ sourcePort: 9, destinationPort: 0 });
    expect(counters).toMatchObject({ recv_ping: 1, send_pong: 0 });
    for (let count = 0; count < 2000; count += 1) receive({ sourcePort: 10, destinationPort: 0 });
    expect(peer.queues.length).toBe(1024);
  });

  it("W18: leaves extensions it does not know alone", () => {
    const { receive, delivered } = rig();
    receive({ extensions: Buffer.from("0800050001", "hex") });
    expect(delivered).toHaveLength(1);
  });

  it("W19: drops a message with a wrong checksum, and counts it", () => {
    const { peer, delivered, counters } = rig();
    const header = Buffer.alloc(HEADER_SIZE);
    encodeHeader(header, 0, { sequence: 1, length: 0, sourcePort: 7, destinationPort: 2001 });
    header.writeUInt16BE(0x1234, 30);
    peer.received(header, 0, Buffer.alloc(0));
    expect([delivered, counters.recv_drop_bad_checksum]).toEqual([[], 1]);
  });

  it("W31: takes the numbers of a peer that has restarted from the beginning", () => {
    const { receive, delivered } = rig();
    const probe = (sequence: number, generation: string): void =>
      receive({ sequence, sourcePort: 1, destinationPort: 0, extensions: Buffer.from(`05000106${generation}`, "hex") });
    probe(1, "00000001");
    receive({ sequence: 500 });
    probe(501, "00000002");
    receive({ sequence: 3, flags: 4 });
    expect(delivered.map(({ sequence }) => sequence)).toEqual([500, 3]);
  });

  it("W32, W33: delivers from port 0, drops what is for port 1, ignores heartbeats", () => {
    const { receive, delivered, counters, peer } = rig();
    receive({ sourcePort: 0 });
    receive({ sourcePort: 9, destinationPort: 1 });
    receive({ sourcePort: 0, destinationPort: 0, flags: 0x08 });
    expect(delivered).toEqual([{ sequence: 1, from: 0, to: 2001 }]);
    expect([counters.recv_drop_no_sock, counters.recv_ping, peer.hasWork]).toEqual([1, 0, false]);
  });

  it("keeps numbers above 2^53 exact", () => {
    const { receive, delivered } = rig();
    receive({ sequence: 2n ** 60n });
    receive({ sequence: 2n ** 60n, flags: 4 });
    receive({ sequence: 2n ** 60n + 1n, flags: 4 });
    expect(delivered.map(({ sequence }) => sequence)).toEqual([2n ** 60n, 2n ** 60n + 1n]);
  });
});
