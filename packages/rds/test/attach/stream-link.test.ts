import { once } from "node:events";
import { Duplex } from "node:stream";
import { IpAddress } from "@verbena/ib";
import { clientFrame } from "../../src/attach/protocol/client-frames.js";
import { preamble } from "../../src/attach/protocol/frame-parts.js";
import { bound, LIMIT, sendUntilRefused } from "../conformance/rig.js";
import { UserSpaceRig } from "../conformance/user-space-rig.js";

const LOCAL = { address: IpAddress.parse("10.0.0.5"), port: 4000, scopeId: 0 };
const SETTINGS = {
  sendBufferSize: 10_000,
  receiveBufferSize: LIMIT,
  timestamps: false,
  monitors: true,
  connected: undefined,
};

/** The stack's end of a connection whose other end takes nothing until it is told to. */
class Stalled extends Duplex {
  /** All that has left. */
  taken = 0;
  #release: (() => void) | undefined;
  #isStalled = true;

  override _read(): void {
    // The test pushes.
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    const take = (): void => {
      this.taken += chunk.length;
      done();
    };
    if (this.#isStalled) this.#release = take;
    else take();
  }

  /** From now on it takes what comes. */
  flow(): void {
    this.#isStalled = false;
    this.#release?.();
  }
}

describe("a program that does not take what it is told", () => {
  let rig: UserSpaceRig;
  let stream: Stalled;
  beforeEach(async () => {
    rig = new UserSpaceRig();
    stream = new Stalled();
    rig.stack.serve().accept(stream);
    stream.push(Buffer.concat([preamble(), clientFrame.bind(LOCAL, SETTINGS)]));
    await rig.settle();
  });
  afterEach(async () => {
    stream.destroy();
    await rig.close();
  });
  /** 2000 sockets make a list of some hundred KiB. */
  const manySockets = async (): Promise<void> => {
    for (let port = 10_000; port < 12_000; port += 1) await bound(rig, "10.0.0.6", port);
  };

  it("is not read from any more, and what waits for it is bounded, whatever it asks", async () => {
    await manySockets();
    for (let round = 0; round < 20; round += 1) {
      stream.push(Buffer.concat(Array.from({ length: 15 }, (_, at) => clientFrame.info(at, "sockets"))));
      await rig.settle();
    }
    expect(stream.isPaused()).toBe(true);
    expect(stream.writableLength).toBeLessThan(1 << 20);
  });

  it("gets the rest when it takes it", async () => {
    await manySockets();
    stream.push(Buffer.concat(Array.from({ length: 15 }, (_, at) => clientFrame.info(at, "sockets"))));
    await rig.settle();
    const waiting = stream.writableLength;
    stream.flow();
    await once(stream, "drain");
    await rig.settle();
    expect(stream.taken).toBeGreaterThan(3 * waiting);
    expect(stream.isPaused()).toBe(false);
  });

  it("congests its port, as one that does not read", async () => {
    const sender = await bound(rig, "10.0.0.6", 4100);
    expect(sendUntilRefused(sender, "10.0.0.5:4000", 1000)).toEqual([11, "ENOBUFS"]);
  });

  it("is over for the stack when it has ended its side, though it has not taken all", async () => {
    const server = rig.stack.serve();
    const other = new Stalled();
    server.accept(other);
    other.push(Buffer.concat([preamble(), clientFrame.bind({ ...LOCAL, port: 4001 }, SETTINGS)]));
    await rig.settle();
    expect(server.sockets).toHaveLength(1);
    other.push(null);
    await once(other, "close");
    expect(server.sockets).toEqual([]);
  });
});
