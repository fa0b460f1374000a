import type { PeerSource } from "@verbena/core/sdk";
import { type RdsSocket, type RdsSocketOptions, RdsStack, type RdsStackOptions } from "../src/index.js";
import { encodeHeader } from "../src/wire/header.js";
import { HEADER_SIZE } from "../src/wire/header-layout.js";
import { outcome, receiveAll, sendUntilRefused } from "./conformance/rig.js";
import { virtualHost } from "./conformance/user-space-rig.js";
import { ScriptedTransport } from "./support/scripted-transport.js";

const KIB = 1024;
const MIB = 1024 * KIB;
const HERE = "10.0.0.1";
const MAP_FRAME = 8240;

/** A stack whose wire is the test, and what it has warned of. */
function rig(options: Omit<RdsStackOptions, "host"> = {}) {
  const warnings: string[] = [];
  const host = virtualHost();
  const logger = { ...host.logger, warn: (message: string) => void warnings.push(message) };
  const transport = new ScriptedTransport(HERE);
  const stack = new RdsStack({ host: { ...host, logger }, transports: [transport], ...options });
  const socket = async (port: number, given: RdsSocketOptions = {}): Promise<RdsSocket> => {
    const made = stack.createSocket(given);
    await made.bind(HERE, port);
    return made;
  };
  const counter = (name: string): bigint => stack.info("counters").find((one) => one.name === name)?.value ?? -1n;
  return { host, stack, transport, warnings, socket, counter };
}

/** Gives a message to the engine as if it had come from a peer. */
class Arrivals {
  #sequence = 0;

  constructor(readonly source: PeerSource) {
    source.connectionUp();
  }

  message(port: number, payload: Buffer): void {
    this.#sequence += 1;
    const header = Buffer.alloc(HEADER_SIZE);
    const fields = { sequence: this.#sequence, length: payload.length, sourcePort: 7, destinationPort: port };
    encodeHeader(header, 0, fields);
    this.source.received(header, 0, payload);
  }

  /** All that is to be sent, which the peer then has. */
  takeAll(): readonly Uint8Array[] {
    const frames = [];
    for (let frame = this.source.next(); frame !== undefined; frame = this.source.next()) {
      frames.push(Uint8Array.from(frame.bytes));
      this.source.acked(frame.end);
    }
    return frames;
  }
}

/** The last map that was sent. */
const lastMap = (frames: readonly Uint8Array[]): Uint8Array | undefined =>
  frames
    .filter(({ length }) => length === MAP_FRAME)
    .at(-1)
    ?.subarray(HEADER_SIZE);

describe("memory of messages", () => {
  it("one short message that waits in each of many blocks that were read does not keep the blocks", async () => {
    const { stack, transport, socket } = rig();
    const waiting = await socket(4000);
    const peer = new Arrivals(transport.contact("10.0.0.2"));
    for (let block = 0; block < 400; block += 1) {
      peer.message(4000, Buffer.alloc(256 * KIB, block).subarray(1000, 1064));
    }
    const messages = receiveAll(waiting);
    const blocks = new Set(messages.map(({ data }) => data.buffer));
    expect([...blocks].reduce((sum, { byteLength }) => sum + byteLength, 0)).toBeLessThan(5 * MIB);
    expect(messages.every(({ data }, i) => data.equals(Buffer.alloc(64, i)))).toBe(true);
    await stack.close();
  });

  it("small messages to a peer that is away do not keep what went to others in between", async () => {
    const { stack, transport, socket } = rig();
    const sender = await socket(4000, { sendBufferSize: 64 * KIB });
    const away = transport.contact("10.0.0.8");
    const there = new Arrivals(transport.contact("10.0.0.9"));
    for (let i = 0; i < 1000; i += 1) {
      sender.trySend("small", { to: "10.0.0.8:7" });
      for (let large = 0; large < 10; large += 1) {
        sender.trySend(Buffer.alloc(20 * KIB), { to: "10.0.0.9:7" });
        there.takeAll();
      }
    }
    away.connectionUp();
    const blocks = new Set<ArrayBufferLike>();
    for (let frame = away.next(); frame !== undefined; frame = away.next()) blocks.add(frame.bytes.buffer);
    expect([...blocks].reduce((sum, { byteLength }) => sum + byteLength, 0)).toBeLessThan(6 * MIB);
    await stack.close();
  });
});

describe("maxReceiveMemory", () => {
  it("from half of it on all ports of the address are congested, pings are not, and below a quarter all are free again", async () => {
    const { stack, transport, socket, warnings } = rig({ maxReceiveMemory: 4 * MIB });
    const sockets = await Promise.all(Array.from({ length: 30 }, (_, i) => socket(4000 + i)));
    const peer = new Arrivals(transport.contact("10.0.0.2"));
    peer.takeAll();
    for (const [i] of sockets.entries()) peer.message(4000 + i, Buffer.alloc(90_000));
    const full = lastMap(peer.takeAll());
    expect([full?.[0], full?.subarray(1).every((byte) => byte === 0xff)]).toEqual([0xfc, true]);
    // Each alone is below its own limit.
    expect(warnings).toEqual(["RDS messages are not received: all ports congested"]);
    for (const one of sockets.slice(0, 17)) receiveAll(one);
    expect(lastMap(peer.takeAll())).toBeUndefined();
    for (const one of sockets) receiveAll(one);
    expect(lastMap(peer.takeAll())?.every((byte) => byte === 0)).toBe(true);
    await stack.close();
  });

  it("what many peers had on its way before they knew is kept, however much it is", async () => {
    const { stack, transport, socket, counter } = rig({ maxReceiveMemory: 4 * MIB });
    const receiver = await socket(4000, { receiveBufferSize: 2000 });
    const peers = Array.from({ length: 20 }, (_, i) => new Arrivals(transport.contact(`10.0.0.${i + 10}`)));
    for (const peer of peers) {
      peer.takeAll();
      for (let i = 0; i < 10; i += 1) peer.message(4000, Buffer.alloc(100_000));
    }
    expect([receiveAll(receiver).length, counter("recv_drop_dead_sock")]).toEqual([200, 0n]);
    await stack.close();
  });

  it("what a peer goes on sending that knows of the congestion is dropped beyond it, counted, and warned of once in a while", async () => {
    const { stack, transport, socket, counter, warnings } = rig({ maxReceiveMemory: 4 * MIB });
    const receiver = await socket(4000);
    const [bad, good] = ["10.0.0.2", "10.0.0.3"].map((address) => new Arrivals(transport.contact(address)));
    for (let i = 0; i < 500; i += 1) {
      bad?.message(4000, Buffer.alloc(100_000));
      bad?.takeAll();
    }
    good?.message(4000, Buffer.from("good"));
    const kept = receiveAll(receiver);
    expect(kept.at(-1)?.data.toString()).toBe("good");
    expect(kept.length * 100_000).toBeLessThan(8 * MIB);
    expect(counter("recv_drop_dead_sock")).toBe(BigInt(501 - kept.length));
    expect(warnings.slice(1)).toEqual(["an RDS peer ignores congestion: message dropped"]);
    await stack.close();
  });

  it("senders of the same process get ENOBUFS, on loopback addresses too, and are told when they may go on", async () => {
    const stack = new RdsStack({ host: virtualHost(), maxReceiveMemory: 100_000 });
    const [receiver, sender] = [stack.createSocket(), stack.createSocket()];
    await Promise.all([receiver.bind("127.0.0.1:4000"), sender.bind("127.0.0.1:4001")]);
    const [sent, answer] = sendUntilRefused(sender, "127.0.0.1:4000", 0);
    expect([sent > 100, sent < 1000, answer]).toEqual([true, true, "ENOBUFS"]);
    const later = sender.send("later", { to: "127.0.0.1:4000" });
    expect(receiveAll(receiver)).toHaveLength(sent + 1);
    expect(await later).toBe(5);
    expect(outcome(() => sender.trySend("", { to: "127.0.0.1:4000" }))).toBe(0);
    await stack.close();
  });
});

describe("memory that one socket holds", () => {
  const EMPTY = Buffer.alloc(0);
  /** Each message counts 256 bytes beside its payload. */
  const SHARE = (16 * MIB) / 256;
  /** The bit of port 4000 in the last map among these, or `undefined` where there is none. */
  const bit = (frames: readonly Uint8Array[]): number | undefined => lastMap(frames)?.[4000 >> 3];

  it("beyond a share its port is congested by what is kept beside empty messages, until half of it is left, and no other port is", async () => {
    const { stack, transport, socket, warnings } = rig();
    const receiver = await socket(4000);
    await socket(4008);
    const peer = new Arrivals(transport.contact("10.0.0.2"));
    peer.takeAll();
    for (let i = 0; i < SHARE; i += 1) peer.message(4000, EMPTY);
    expect(bit(peer.takeAll())).toBeUndefined();
    peer.message(4000, EMPTY);
    const map = lastMap(peer.takeAll());
    expect([map?.[4000 >> 3], map?.filter((byte) => byte !== 0).length]).toEqual([1, 1]);
    for (let i = 0; i < SHARE / 2; i += 1) receiver.tryReceive();
    expect(bit(peer.takeAll())).toBeUndefined();
    receiver.tryReceive();
    expect(bit(peer.takeAll())).toBe(0);
    expect(warnings).toEqual([]);
    await stack.close();
  });

  it("the share is twice the receive buffer where that is more than 16 MiB", async () => {
    const { stack, transport, socket } = rig();
    await socket(4000, { receiveBufferSize: 16 * MIB });
    const peer = new Arrivals(transport.contact("10.0.0.2"));
    peer.takeAll();
    for (let i = 0; i < 2 * SHARE; i += 1) peer.message(4000, EMPTY);
    expect(bit(peer.takeAll())).toBeUndefined();
    peer.message(4000, EMPTY);
    expect(bit(peer.takeAll())).toBe(1);
    await stack.close();
  });

  it("up to the share payload alone counts: a port is free at half of its limit, however many messages are left", async () => {
    const { stack, transport, socket } = rig();
    const receiver = await socket(4000, { receiveBufferSize: 4000 });
    const peer = new Arrivals(transport.contact("10.0.0.2"));
    peer.takeAll();
    for (const length of [4000, 1]) peer.message(4000, Buffer.alloc(length));
    for (let i = 0; i < SHARE - 20; i += 1) peer.message(4000, EMPTY);
    expect(bit(peer.takeAll())).toBe(1);
    receiver.tryReceive();
    expect(bit(peer.takeAll())).toBe(0);
    await stack.close();
  });
});
