import { silentLogger } from "@verbena/core";
import type { PeerSource, TcpEndpoint, TcpStream, TcpStreamHandler } from "@verbena/core/sdk";
import { VirtualClock } from "@verbena/core/testing";
import { IpAddress } from "@verbena/ib";
import { ReadMemory } from "../../src/memory/read-memory.js";
import { createTcpCounters } from "../../src/tcp/tcp-counters.js";
import { TcpLink } from "../../src/tcp/tcp-link.js";
import { tcpSettings } from "../../src/tcp/tcp-options.js";
import { frame, mapFrame } from "./frames.js";

const HERE = "10.0.0.5";
const MIB = 1 << 20;

/** A connection whose other end is the test. */
class ScriptedStream implements TcpStream {
  readonly local: TcpEndpoint = { host: HERE, port: 1 };
  handler: TcpStreamHandler | undefined;
  /** What is there to read; `undefined` is the end. */
  readonly arrived: (Buffer | undefined)[] = [];
  startError: Error | undefined;
  isClosed = false;
  /** Bytes read since it was last set to 0. */
  readBytes = 0;

  constructor(readonly remote: TcpEndpoint) {}

  start(handler: TcpStreamHandler): void {
    if (this.startError !== undefined) throw this.startError;
    this.handler = handler;
  }
  read(into: Uint8Array, offset: number, length: number): number {
    if (this.arrived.length === 0) return 0;
    const bytes = this.arrived.shift();
    if (bytes === undefined) return -1;
    const took = Math.min(length, bytes.length);
    into.set(bytes.subarray(0, took), offset);
    if (took < bytes.length) this.arrived.unshift(bytes.subarray(took));
    this.readBytes += took;
    return took;
  }
  write(segments: readonly Uint8Array[], skip: number): number {
    return segments.reduce((sum, { length }) => sum + length, -skip);
  }
  watchWritable(): void {
    // There is always room.
  }
  ackPosition(): number {
    return 0;
  }
  close(): void {
    this.isClosed = true;
  }
  reset(): void {
    this.isClosed = true;
  }
}

/** A link to a peer with the larger or the smaller address, and what became of it. */
function rig(peer: "10.0.0.9" | "10.0.0.2") {
  const clock = new VirtualClock();
  const attempts: { readonly stream: ScriptedStream; readonly at: number }[] = [];
  const received: string[] = [];
  const source = {
    next: () => undefined,
    hasWork: true,
    connectionUp: jest.fn(),
    connectionDown: jest.fn(),
    acked: () => undefined,
    received: (_header: Buffer, _at: number, payload: Buffer) => received.push(payload.toString("latin1", 0, 10)),
  } satisfies PeerSource;
  const remote: TcpEndpoint = { host: peer, port: 16_385 };
  const tcp = {
    listen: () => {
      throw new Error("nothing listens here");
    },
    connect: (_local: TcpEndpoint, to: TcpEndpoint, handler: TcpStreamHandler) => {
      const stream = new ScriptedStream(to);
      stream.start(handler);
      attempts.push({ stream, at: clock.now() });
      return stream;
    },
  };
  const parts = {
    counters: createTcpCounters(),
    readMemory: new ReadMemory(),
    pack: Buffer.alloc(65_536),
    maxFrame: MIB,
  };
  const local = { address: IpAddress.parse(HERE), scopeId: 0 };
  const context = {
    native: { tcp },
    clock,
    random: () => 0.5,
    logger: silentLogger,
    local,
    options: tcpSettings({}),
    parts,
  };
  const link = new TcpLink(context, { address: IpAddress.parse(peer), scopeId: 0 }, source, () => undefined);
  const call = (): ScriptedStream => {
    const stream = new ScriptedStream(remote);
    link.accepted(stream);
    return stream;
  };
  return { clock, attempts, received, source, link, call, remote };
}

const message = (sequence: number, payload: Buffer | string): Buffer =>
  frame({ sequence, sport: 7, dport: 9, payload });
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("a peer whose frames cannot be read is called again after ever longer waits, however long each connection stood", async () => {
  const { clock, attempts, link } = rig("10.0.0.9");
  link.wake();
  for (let life = 0; life < 9; life += 1) {
    const stream = attempts.at(-1)?.stream;
    stream?.handler?.onConnected?.();
    stream?.arrived.push(mapFrame());
    stream?.handler?.onReadable();
    await clock.advance(1000);
    stream?.arrived.push(message(0, "a message without a number"));
    stream?.handler?.onReadable();
    await clock.advance(1000);
  }
  const waits = attempts.slice(1).map(({ at }, life) => at - (2000 * life + 1000));
  // Half of a bound that doubles from 1 ms, but for the first.
  expect(waits).toEqual([0, 0.5, 1, 2, 4, 8, 16, 32, 64]);
});

test("a call while an attempt has found nobody for half a second starts the attempt anew; before that it does not", async () => {
  const { clock, attempts, link, call } = rig("10.0.0.9");
  link.wake();
  await clock.advance(499);
  expect([call().isClosed, attempts.length]).toEqual([true, 1]);
  await clock.advance(1);
  expect([call().isClosed, attempts.length]).toEqual([true, 2]);
  expect(attempts[0]?.stream.isClosed).toBe(true);
  expect(attempts[1]?.stream.isClosed).toBe(false);
});

test("the larger side asks once, and again only if the peer has not called for 64 ms", async () => {
  const { clock, attempts, link } = rig("10.0.0.2");
  link.wake();
  attempts[0]?.stream.handler?.onConnected?.();
  await clock.advance(63);
  expect(attempts).toHaveLength(1);
  await clock.advance(1);
  expect(attempts).toHaveLength(2);
});

test("a connection that cannot be watched is not up, but as good as lost", async () => {
  const { attempts, clock, link, source, remote } = rig("10.0.0.2");
  const stream = new ScriptedStream(remote);
  stream.startError = new Error("out of memory");
  link.accepted(stream);
  expect([link.state, stream.isClosed]).toEqual(["down", true]);
  expect(source.connectionUp).not.toHaveBeenCalled();
  await clock.advance(1);
  expect(attempts).toHaveLength(1);
});

describe("a second call of the smaller side", () => {
  it("begins when the first connection has been read to its end, of which a turn of the event loop does a part", async () => {
    const { link, call, received, source } = rig("10.0.0.2");
    const first = call();
    first.arrived.push(...Array.from({ length: 80 }, (_, i) => message(i + 1, Buffer.alloc(100_000, 97))), undefined);
    const second = call();
    expect(first.readBytes).toBeLessThan(1.2 * MIB);
    expect([source.connectionUp.mock.calls.length, second.handler]).toEqual([1, undefined]);
    const third = call();
    expect([second.isClosed, link.state]).toEqual([true, "up"]);
    while (third.handler === undefined) {
      first.readBytes = 0;
      await turn();
      expect(first.readBytes).toBeLessThan(1.2 * MIB);
    }
    expect(received).toHaveLength(80);
    expect(source.connectionUp).toHaveBeenCalledTimes(2);
    third.arrived.push(message(81, "new"));
    third.handler.onReadable();
    expect(received.at(-1)).toBe("new");
  });

  it("comes to nothing if the link is closed before that", async () => {
    const { link, call, source } = rig("10.0.0.2");
    const first = call();
    first.arrived.push(...Array.from({ length: 80 }, (_, i) => message(i + 1, Buffer.alloc(100_000))));
    const second = call();
    link.close();
    await turn();
    expect([first.isClosed, second.isClosed, source.connectionUp.mock.calls.length]).toEqual([true, true, 1]);
  });
});
