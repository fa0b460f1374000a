import { encodeFrame, ProtocolViolation } from "./frame.js";
import { decodeClientMessage, encodeAsyncEvent, encodeHelloReply, encodeStatusReply } from "./messages.js";
import { MessageType } from "./protocol.js";

/** xorshift32, so that a failure can be repeated. */
function randomBytes(seed: number): (length: number) => Buffer {
  let state = seed;
  const next = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state & 0xff;
  };
  return (length) => Buffer.from(Array.from({ length }, next));
}

const hello = (version: number) =>
  Buffer.concat([
    Buffer.from("VFAB"),
    Buffer.from([version, 0, 0, 0, 0x39, 0x30, 0, 0]),
    Buffer.from([5, 0]),
    Buffer.from("H1,H2"),
    Buffer.from([7, 0]),
    Buffer.from("saquery"),
  ]);

describe("decodeClientMessage", () => {
  it("reads HELLO", () => {
    expect(decodeClientMessage({ type: MessageType.HELLO, tag: 1, body: hello(3) })).toEqual({
      type: "hello",
      tag: 1,
      hello: { version: 3, pid: 12_345, nodes: "H1,H2", program: "saquery" },
    });
  });

  it("reads no more than the version of another version's HELLO", () => {
    expect(decodeClientMessage({ type: MessageType.HELLO, tag: 1, body: hello(4).subarray(0, 13) })).toMatchObject({
      hello: { version: 4, nodes: "" },
    });
  });

  it("reads what queue pairs send: packets, memberships, violations", () => {
    const body = Buffer.from("0700000002000000aabbcc", "hex");
    expect(decodeClientMessage({ type: MessageType.DATA, tag: 0, body })).toEqual({
      type: "data",
      hcaIndex: 7,
      portNumber: 2,
      packet: Buffer.from("aabbcc", "hex"),
    });
    const mgid = Buffer.from("ff12401bffff00000000000000000001", "hex");
    const group = Buffer.concat([Buffer.from("07000000", "hex"), mgid]);
    for (const [type, isAttach] of [
      [MessageType.ATTACH_MULTICAST, true],
      [MessageType.DETACH_MULTICAST, false],
    ] as const) {
      expect(decodeClientMessage({ type, tag: 3, body: group })).toEqual({
        type: "multicast",
        tag: 3,
        isAttach,
        hcaIndex: 7,
        mgid,
      });
    }
    expect(decodeClientMessage({ type: MessageType.SYNC, tag: 4, body: Buffer.alloc(0) })).toEqual({
      type: "sync",
      tag: 4,
    });
    const violation = Buffer.from("0700000002010000", "hex");
    expect(decodeClientMessage({ type: MessageType.VIOLATION, tag: 0, body: violation })).toEqual({
      type: "violation",
      hcaIndex: 7,
      portNumber: 2,
      kind: 1,
    });
  });

  it("reads REGISTER_AGENT with all 128 method bits", () => {
    const body = Buffer.alloc(28);
    body.writeUInt32LE(3, 0);
    body.set([1, 0x30, 2, 1], 4);
    body.writeUInt32LE(0x001405, 8);
    body.writeBigUInt64LE(2n, 12);
    body.writeBigUInt64LE(1n << 63n, 20);
    expect(decodeClientMessage({ type: MessageType.REGISTER_AGENT, tag: 9, body })).toEqual({
      type: "register-agent",
      tag: 9,
      request: {
        portHandle: 3,
        qpn: 1,
        managementClass: 0x30,
        classVersion: 2,
        rmppVersion: 1,
        oui: 0x001405,
        methods: 2n | (1n << 127n),
      },
    });
  });

  it("refuses whatever it cannot read, with its own error only", () => {
    const random = randomBytes(7);
    let refused = 0;
    for (let i = 0; i < 50_000; i += 1) {
      const type = i % 11;
      const body = random((random(1)[0] ?? 0) % 48);
      if (type === MessageType.HELLO && i % 2 === 0) Buffer.from("VFAB\x03\0").copy(body);
      try {
        decodeClientMessage({ type, tag: i, body });
      } catch (error) {
        if (!(error instanceof ProtocolViolation)) throw error;
        refused += 1;
      }
    }
    expect(refused).toBeGreaterThan(30_000);
  });
});

describe("replies and announcements", () => {
  it("encodes a refusal", () => {
    const frame = encodeFrame(
      0x8001,
      5,
      Buffer.concat([Buffer.from([19, 0, 0, 0]), Buffer.from([2, 0]), Buffer.from("no")]),
    );
    expect(encodeStatusReply(MessageType.HELLO, 5, 19, "no")).toEqual(frame);
  });

  it("encodes the HELLO reply", () => {
    expect(
      encodeHelloReply(1, [{ index: 6, pageName: "state-6" }])
        .subarray(12)
        .toString("latin1"),
    ).toBe("\0\0\0\0\x03\0\x01\0\x06\0\0\0\x07\0state-6");
  });

  it("numbers events as verbs does", () => {
    expect(encodeAsyncEvent(2, "client-reregister", 1).subarray(12).toString("hex")).toBe("0200000011010000");
  });
});
