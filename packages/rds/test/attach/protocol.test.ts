import { IpAddress } from "@verbena/ib";
import { clientFrame, dataFrame, readClientFrame } from "../../src/attach/protocol/client-frames.js";
import { preamble } from "../../src/attach/protocol/frame-parts.js";
import { FrameReader } from "../../src/attach/protocol/frame-reader.js";
import { infoText, readInfoText } from "../../src/attach/protocol/info-text.js";
import { HEADER_SIZE, LISTS, MAX_TEXT } from "../../src/attach/protocol/layout.js";
import { readServerFrame, type ServerFrame, serverFrame } from "../../src/attach/protocol/server-frames.js";

const V4 = { address: IpAddress.parse("10.0.0.5"), port: 4000, scopeId: 0 };
const V6 = { address: IpAddress.parse("fe80::1"), port: 7, scopeId: 3 };
const V4_BYTES = "04000fa000000000" + "0a000005".padEnd(32, "0");
const V6_BYTES = "0600000700000003" + "fe800000000000000000000000000001";
const SETTINGS = {
  sendBufferSize: 10_000,
  receiveBufferSize: 20_000,
  timestamps: true,
  monitors: false,
  connected: V6,
};
const SETTINGS_BYTES = `0000271000004e2005000000${V6_BYTES}`;

/** The bytes of each frame as docs/rds-attach.md has them. */
const CLIENT: readonly (readonly [Buffer, string, object])[] = [
  [
    clientFrame.bind(V4, SETTINGS),
    `0000003c01000000${V4_BYTES}${SETTINGS_BYTES}`,
    { type: "bind", local: V4, settings: SETTINGS },
  ],
  [clientFrame.settings(SETTINGS), `0000002402000000${SETTINGS_BYTES}`, { type: "settings", settings: SETTINGS }],
  [
    clientFrame.destination(258, V6),
    `0000001c0300000000000102${V6_BYTES}`,
    { type: "destination", handle: 258, to: V6 },
  ],
  [clientFrame.forget(258), "000000040400000000000102", { type: "forget", handle: 258 }],
  [
    dataFrame(258, [Buffer.from("ab"), Buffer.from("c")]),
    "000000070500000000000102616263",
    { type: "data", handle: 258, payload: Buffer.from("abc") },
  ],
  [clientFrame.cancel(undefined), "0000000006000000", { type: "cancel", to: undefined }],
  [clientFrame.cancel(V4), `0000001806000000${V4_BYTES}`, { type: "cancel", to: V4 }],
  [clientFrame.read(2), "000000040700000000000002", { type: "read", messages: 2 }],
  [clientFrame.info(9, "sockets"), "00000008080000000000000905000000", { type: "info", request: 9, list: "sockets" }],
];

const LIMITS = {
  maxMessageSize: 1 << 20,
  maxBufferSize: 16 << 20,
  maxMessages: 65_536,
  maxDestinations: 4096,
  emptyNeedsRoom: true,
};
const MESSAGE = {
  type: "message",
  data: Buffer.from("abc"),
  length: 3,
  source: V4,
  control: [{ type: "timestamp", ns: 1_700_000_000_000_000_000n }],
} as const;

const SERVER: readonly (readonly [Buffer, string, ServerFrame])[] = [
  [
    serverFrame.welcome(LIMITS),
    "00000018410000000010000001000000000100000000100001000000" + "00000000",
    { type: "welcome", limits: LIMITS },
  ],
  [serverFrame.bound(V4, "tcp"), `0000001b42000000${V4_BYTES}746370`, { type: "bound", local: V4, transport: "tcp" }],
  [
    serverFrame.refused("EADDRINUSE", "taken"),
    "00000006430000000174616b656e",
    { type: "refused", errno: "EADDRINUSE", reason: "taken" },
  ],
  [
    Buffer.concat([serverFrame.message(MESSAGE), MESSAGE.data]),
    `0000002744000000010000001797_9cfe362a0000`.replace("_", "") + `${V4_BYTES}616263`,
    { type: "message", message: MESSAGE },
  ],
  [serverFrame.released(2, 300), "0000000845000000000000020000012c", { type: "released", messages: 2, bytes: 300 }],
  [
    serverFrame.state(258, "congested"),
    "00000008460000000000010201000000",
    {
      type: "state",
      handle: 258,
      state: "congested",
    },
  ],
  [serverFrame.freed(1n << 63n), "00000008470000008000000000000000", { type: "freed", ports: 1n << 63n }],
  [
    serverFrame.infoPart(9, true, Buffer.from("{}")),
    "0000000a4800000000000009010000007b7d",
    { type: "info", request: 9, isLast: true, bytes: Buffer.from("{}") },
  ],
  [serverFrame.end("why"), "0000000349000000776879", { type: "end", reason: "why" }],
];

describe("attach protocol", () => {
  it("begins with four letters and a version", () => {
    expect(preamble().toString("hex")).toBe("5652445300010000");
  });

  it.each(CLIENT)("a program's frame %#: to bytes and back", (frame, hex, read) => {
    expect(frame.toString("hex")).toBe(hex);
    expect(readClientFrame(frame.readUInt8(4), frame.subarray(HEADER_SIZE))).toEqual(read);
  });

  it.each(SERVER)("the stack's frame %#: to bytes and back", (frame, hex, read) => {
    expect(frame.toString("hex")).toBe(hex);
    expect(readServerFrame(frame.readUInt8(4), frame.subarray(HEADER_SIZE))).toEqual(read);
  });

  it.each([1, 2, 7, 1000])("reads the same in pieces of %d bytes", (size) => {
    const stream = Buffer.concat([preamble(), ...CLIENT.map(([frame]) => frame)]);
    const types: number[] = [];
    const reader = new FrameReader({
      version: (version) => types.push(-version),
      limit: () => 1000,
      frame: (type) => types.push(type),
    });
    for (let at = 0; at < stream.length; at += size) reader.push(Buffer.from(stream.subarray(at, at + size)));
    expect(types).toEqual([-1, 1, 2, 3, 4, 5, 6, 6, 7, 8]);
  });

  it("a long frame takes memory as it comes, not as it is announced", () => {
    const reader = new FrameReader({ version: () => undefined, limit: () => 1 << 30, frame: () => undefined });
    const before = process.memoryUsage().arrayBuffers;
    reader.push(Buffer.concat([preamble(), Buffer.from("3fffffff05000000", "hex"), Buffer.alloc(100)]));
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1 << 20);
  });

  it("nothing is given on once the reader was stopped, also within one piece", () => {
    const types: number[] = [];
    const reader: FrameReader = new FrameReader({
      version: () => undefined,
      limit: () => 1000,
      frame: (type) => {
        types.push(type);
        reader.stop();
      },
    });
    reader.push(Buffer.concat([preamble(), clientFrame.read(1), clientFrame.read(2)]));
    reader.push(clientFrame.read(3));
    expect(types).toEqual([7]);
  });

  it("reasons longer than a frame may have are cut", () => {
    expect(serverFrame.end("x".repeat(10_000))).toHaveLength(HEADER_SIZE + MAX_TEXT);
  });

  it("lists keep their 64-bit numbers", () => {
    const list = [{ name: "send_queued", value: 2n ** 63n }];
    expect(readInfoText(infoText(list))).toEqual({ list });
  });

  it.each(["", "{", "[]", '{"list":1}', "null", '{"list":["\\u0000nx"]}'])("%j is no list", (text) => {
    expect(() => readInfoText(Buffer.from(text))).toThrow(
      expect.objectContaining({ code: "VERBENA_RDS_ATTACH_MALFORMED" }) as Error,
    );
  });

  it("lists have their places on the wire", () => {
    expect(LISTS).toEqual([
      "counters",
      "connections",
      "sendQueue",
      "retransmitQueue",
      "receiveQueue",
      "sockets",
      "tcpSockets",
    ]);
  });
});
