import { IpAddress } from "@verbena/ib";
import { clientFrame, dataFrame } from "../../src/attach/protocol/client-frames.js";
import { frameOf, preamble } from "../../src/attach/protocol/frame-parts.js";
import { seen } from "../conformance/rig.js";
import { HERE, PEER, Programs } from "./programs.js";
import { RawProgram } from "./raw-program.js";

const end = (address: string, port: number) => ({ address: IpAddress.parse(address), port, scopeId: 0 });
const SETTINGS = {
  sendBufferSize: 10_000,
  receiveBufferSize: 10_000,
  timestamps: false,
  monitors: false,
  connected: undefined,
};
const BIND = clientFrame.bind(end(HERE, 4000), SETTINGS);
const KNOWN = clientFrame.destination(1, end(PEER, 7));

describe("programs that do not keep to the protocol", () => {
  let programs: Programs;
  let raw: RawProgram;
  beforeEach(() => {
    programs = new Programs();
    raw = new RawProgram(programs.links);
  });
  afterEach(() => programs.close());
  const bound = async (): Promise<void> => {
    raw.greet(BIND);
    await programs.engine.settle();
    expect(raw.last).toMatchObject({ type: "bound", local: { address: HERE, port: 4000 }, transport: "memory" });
  };

  it("one that keeps to it is told the limits of the stack first", async () => {
    await bound();
    expect([raw.version, raw.frames[0]]).toEqual([
      1,
      {
        type: "welcome",
        limits: {
          maxMessageSize: 1 << 20,
          maxBufferSize: 16 << 20,
          maxMessages: 65_536,
          maxDestinations: 4096,
          emptyNeedsRoom: true,
        },
      },
    ]);
  });

  it.each<[string, readonly Buffer[], string]>([
    ["no destination of that number", [dataFrame(1, Buffer.from("x"))], "a destination: the unknown number 1"],
    ["a number twice", [KNOWN, KNOWN], "a destination: number 1 twice"],
    ["a group as destination", [clientFrame.destination(1, end("224.0.0.1", 7))], "a destination"],
    [
      "a destination of the other family",
      [clientFrame.destination(1, end("::2", 7))],
      "a destination: the address ::2",
    ],
    ["more than a message may have", [KNOWN, dataFrame(1, Buffer.alloc(10_001))], "a message: 10001 bytes"],
    [
      "more than there is room for",
      [KNOWN, ...Array(3).fill(dataFrame(1, Buffer.alloc(5000)))],
      "a message: 5000 bytes",
    ],
    ["a larger buffer than allowed", [clientFrame.settings({ ...SETTINGS, sendBufferSize: 1 << 30 })], "settings"],
    ["a receipt of what was not sent", [clientFrame.read(1)], "a receipt: 1 messages of 0"],
    [
      "more questions than it waits for",
      [Buffer.concat(Array(17).fill(clientFrame.info(1, "counters")))],
      "a question: one before",
    ],
    ["a second bind", [BIND], 'a frame "bind": the wrong moment'],
    ["an unknown type", [frameOf(99, 0)], "a frame: type 99"],
    ["a body that is too short", [frameOf(3, 4)], "a frame of type 3: 4 bytes, not 28"],
    ["a body that is too long", [frameOf(6, 25)], "a frame of type 6: 25 bytes, at most 24"],
    ["an unknown list", [Buffer.concat([frameOf(8, 8).subarray(0, 12), Buffer.from("ff000000", "hex")])], "list 255"],
    ["unknown flags", [Buffer.concat([frameOf(2, 36).subarray(0, 16), Buffer.alloc(28, 0xff)])], "settings: flags 255"],
    [
      "a family that is none",
      [Buffer.concat([frameOf(6, 24).subarray(0, 8), Buffer.alloc(24, 5)])],
      "an address: family 5",
    ],
  ])("%s: its socket is closed, it is told why, and nobody else notices", async (_what, frames, reason) => {
    const other = await programs.bound(HERE, 4100);
    await bound();
    raw.send(...frames);
    expect(raw.frames.at(-1)).toMatchObject({ type: "end", reason: expect.stringContaining(reason) as string });
    expect(raw.isClosed).toBe(true);
    const next = await programs.bound(HERE, 4000);
    other.trySend("hello", { to: `${HERE}:4000` });
    expect(seen(next.tryReceive())?.text).toBe("hello");
  });

  it.each<[string, readonly Buffer[], string]>([
    ["another protocol", [Buffer.from("GET / HTTP/1.1\r\n")], "a beginning: 47455420, which is not this protocol"],
    ["another version", [preamble(2)], "a beginning: version 2; this side speaks 1"],
    ["a message before the bind", [preamble(), clientFrame.read(1)], 'a frame "read": the wrong moment (unbound)'],
  ])("%s: it is told so in the words of version 1", (_what, frames, reason) => {
    raw.send(...frames);
    expect([raw.version, raw.last]).toEqual([1, { type: "end", reason: expect.stringContaining(reason) as string }]);
    expect(raw.isClosed).toBe(true);
  });

  it.each<[string, Buffer, string]>([
    ["an address of nobody", clientFrame.bind(end("0.0.0.0", 4000), SETTINGS), "EINVAL"],
    ["port 1", clientFrame.bind(end(HERE, 1), SETTINGS), "EINVAL"],
    ["the mapped form of an address", clientFrame.bind(end("::ffff:10.0.0.5", 4000), SETTINGS), "EINVAL"],
    ["an address of another host", clientFrame.bind(end("9.9.9.9", 4000), SETTINGS), "EADDRNOTAVAIL"],
  ])("a bind to %s is refused with an errno", async (_what, frame, errno) => {
    raw.greet(frame);
    await programs.engine.settle();
    expect(raw.last).toMatchObject({ type: "refused", errno });
  });

  it("one that says nothing is cut off after five seconds", async () => {
    raw.greet();
    await programs.engine.pass(4999);
    expect(raw.isClosed).toBe(false);
    await programs.engine.pass(1);
    expect(raw.last).toMatchObject({ type: "end", reason: expect.stringContaining("a bind within 5000 ms") as string });
    expect(raw.isClosed).toBe(true);
  });

  it("one that ignores congestion is held, and fills nobody else's memory", async () => {
    await programs.bound(HERE, 4001, { receiveBufferSize: 2000 });
    await bound();
    raw.send(clientFrame.destination(1, end(HERE, 4001)));
    for (let count = 0; count < 3; count += 1) raw.send(dataFrame(1, Buffer.alloc(2500)));
    expect(raw.last).toEqual({ type: "released", messages: 1, bytes: 2500 });
    expect(programs.engine.stack.info("receiveQueue")).toHaveLength(1);
    // What is held is bounded by the send buffer, as everything unacknowledged is.
    raw.send(dataFrame(1, Buffer.alloc(5000)), dataFrame(1, Buffer.alloc(1)));
    expect(raw.last).toMatchObject({ type: "end", reason: expect.stringContaining("without room") as string });
    expect(programs.engine.stack.info("receiveQueue")).toHaveLength(1);
  });

  it("empty messages without number are no way round that", async () => {
    await programs.bound(HERE, 4001, { receiveBufferSize: 2000 });
    await bound();
    raw.send(clientFrame.destination(1, end(HERE, 4001)), dataFrame(1, Buffer.alloc(2500)));
    const empty = dataFrame(1, Buffer.alloc(0));
    for (let count = 0; count < 65_536; count += 1) raw.send(empty);
    expect(raw.isClosed).toBe(false);
    raw.send(empty);
    expect(raw.last).toMatchObject({ type: "end", reason: expect.stringContaining("without room") as string });
  });

  it("more sockets than the server takes are turned away with a reason", async () => {
    programs.attached.serve(programs.engine.stack.serve({ maxSockets: 1 }));
    await programs.bound(HERE, 4100);
    await expect(programs.bound(HERE, 4101)).rejects.toMatchObject({
      code: "VERBENA_RDS_ATTACH_REFUSED",
      message: expect.stringContaining("1 sockets of other processes are open already") as string,
    });
  });

  it("addresses that are not offered cannot be bound", async () => {
    programs.attached.serve(programs.engine.stack.serve({ addresses: [IpAddress.parse("10.0.0.6")] }));
    await programs.bound("10.0.0.6", 4000);
    await expect(programs.bound(HERE, 4000)).rejects.toMatchObject({ code: "VERBENA_RDS_EADDRNOTAVAIL" });
  });

  it("buffers are as large as the stack allows, and read back so", async () => {
    programs.attached.serve(programs.engine.stack.serve({ maxBufferSize: 50_000 }));
    const socket = await programs.bound(HERE, 4000, { sendBufferSize: 1 << 20 });
    expect([socket.sendBufferSize, socket.receiveBufferSize]).toEqual([50_000, 50_000]);
    socket.receiveBufferSize = 60_000;
    expect(socket.receiveBufferSize).toBe(50_000);
  });

  it.each([
    ["maxSockets", 0, "1…65536"],
    ["maxBufferSize", 2303, "2304…1073741824"],
  ])("%s of %d is no limit", (name, value, range) => {
    expect(() => programs.engine.stack.serve({ [name]: value })).toThrow(
      `serve: ${name} must be a whole number of ${range}, not ${value}`,
    );
  });
});
