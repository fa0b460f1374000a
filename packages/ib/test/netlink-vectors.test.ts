import {
  acmStatusName,
  decodeNetlinkError,
  decodeNetlinkHeader,
  decodeNetlinkLsAnswer,
  decodeNetlinkLsRequest,
  encodeNetlinkFailure,
  encodeNetlinkGidAnswer,
  encodeNetlinkPathAnswer,
  encodeNetlinkResolveRequest,
  encodeNetlinkSetTimeout,
  Gid,
  isNetlinkLs,
  NETLINK_UNIDIRECTIONAL_FLAGS,
  NetlinkPathUse,
  splitNetlinkMessages,
} from "../src/index.js";
import { coded } from "./coded.js";
import { hex, index, vector } from "./vectors.js";

const request = (id: string): Buffer => vector("netlink", `${id}.req.hex`);
const reply = (id: string): Buffer => vector("netlink", `${id}.rep.hex`);

/** Requests that the service must answer with a failure, because they cannot be read. */
const UNREADABLE = new Map([
  ["resolve-bad-attr-length", "NetlinkAttribute 7: expected 2 bytes, got 4 bytes"],
  ["resolve-unknown-mandatory-attr", "expected a known mandatory attribute, got number 20"],
]);
/** Forms that no encoder of ours makes: an optional attribute of unknown number. */
const NOT_OURS = new Set(["resolve-unknown-optional-attr", "ip-resolve-ipv4", "set-timeout-op", "other-client-id"]);

describe("recorded kernel requests", () => {
  const readable = index.netlink.map(({ id }) => id).filter((id) => !UNREADABLE.has(id) && !NOT_OURS.has(id));

  it.each(readable)("%s decodes and encodes to the same bytes", (id) => {
    const bytes = request(id);
    const decoded = decodeNetlinkLsRequest(bytes);
    if (decoded.kind !== "resolve") throw new Error(`expected a RESOLVE, got ${decoded.kind}`);
    expect(encodeNetlinkResolveRequest({ ...decoded, sequence: decoded.header.sequence })).toEqual(bytes);
  });

  it.each([...UNREADABLE])("%s is refused: %s", (id, message) => {
    expect(() => decodeNetlinkLsRequest(request(id))).toThrow(coded("VERBENA_IB_MALFORMED", message));
    expect(isNetlinkLs(decodeNetlinkHeader(request(id)).type)).toBe(true);
  });

  it("say what the kernel wants", () => {
    expect(decodeNetlinkLsRequest(request("resolve-all-dgid-sgid-pkey"))).toMatchObject({
      kind: "resolve",
      device: "ibsim0",
      port: 1,
      pathUse: NetlinkPathUse.ALL,
      query: {
        serviceId: 0x0106_4e21n,
        dgid: Gid.parse("fe80::10:3"),
        sgid: Gid.parse("fe80::10:1"),
        tclass: 0,
        pkey: 0xffff,
      },
    });
    expect(decodeNetlinkLsRequest(request("resolve-with-tclass-qos"))).toMatchObject({
      pathUse: NetlinkPathUse.GMP,
      query: { tclass: 5, qosClass: 0x120 },
    });
    expect(decodeNetlinkLsRequest(request("resolve-no-attrs"))).toMatchObject({ kind: "resolve", query: {} });
    expect(decodeNetlinkLsRequest(request("ip-resolve-ipv4"))).toMatchObject({
      kind: "ip-resolve",
      interfaceIndex: 2,
      address: Buffer.from([192, 0, 2, 2]),
    });
    expect(decodeNetlinkLsRequest(request("set-timeout-op"))).toMatchObject({
      kind: "other",
      header: { type: 0x1001 },
    });
  });

  it("skip an optional attribute they do not know", () => {
    expect(decodeNetlinkLsRequest(request("resolve-unknown-optional-attr"))).toMatchObject({ kind: "resolve" });
  });

  it("of another client are none of ours", () => {
    expect(isNetlinkLs(decodeNetlinkHeader(request("other-client-id")).type)).toBe(false);
    expect(() => decodeNetlinkLsRequest(request("other-client-id"))).toThrow(coded("VERBENA_IB_MALFORMED", "client 4"));
  });

  it("cut anywhere are refused", () => {
    const bytes = request("resolve-all-dgid-sgid-pkey");
    for (let length = 0; length < bytes.length; length++) {
      const cut = Buffer.from(bytes.subarray(0, length));
      expect(() => decodeNetlinkLsRequest(cut)).toThrow(coded("VERBENA_IB_MALFORMED"));
      if (length < 4) continue;
      cut.writeUInt32LE(length, 0);
      // Behind a whole attribute, or within its padding, it is a shorter request; anywhere else it is none.
      const isWhole = [84, 96, 116, 136, 141, 142, 143, 144, 150, 151].includes(length);
      if (isWhole) expect(decodeNetlinkLsRequest(cut)).toMatchObject({ kind: "resolve" });
      else expect(() => decodeNetlinkLsRequest(cut)).toThrow(coded("VERBENA_IB_MALFORMED"));
    }
  });
});

describe("recorded answers", () => {
  const answered = index.netlink.filter(({ reply_len: length }) => length !== null).map(({ id }) => id);

  it.each(answered)("%s decodes and encodes to the same bytes", (id) => {
    const bytes = reply(id);
    const { header, isFailure, paths } = decodeNetlinkLsAnswer(bytes);
    const { type, sequence, pid } = header;
    expect(sequence).toBe(decodeNetlinkHeader(request(id)).sequence);
    expect(
      isFailure ? encodeNetlinkFailure({ type, sequence, pid }) : encodeNetlinkPathAnswer({ sequence, pid, paths }),
    ).toEqual(bytes);
  });

  it("carry the flags of the path use", () => {
    expect(decodeNetlinkLsAnswer(reply("resolve-unidirectional")).paths[0]?.flags).toBe(NETLINK_UNIDIRECTIONAL_FLAGS);
    expect(decodeNetlinkLsAnswer(reply("resolve-gmp")).paths[0]?.flags).toBe(0x2b);
  });
});

describe("messages without a recording", () => {
  it("SET_TIMEOUT is the attribute the kernel wants", () => {
    const recorded = request("set-timeout-op");
    expect(encodeNetlinkSetTimeout({ sequence: 0x1d, pid: 0, timeoutMs: 2000 })).toEqual(recorded);
  });

  it("SET_TIMEOUT asks for an acknowledgement where one is wanted", () => {
    const bytes = encodeNetlinkSetTimeout({ sequence: 1, pid: 2, timeoutMs: 2000, wantsAck: true });
    expect(decodeNetlinkHeader(bytes)).toMatchObject({ type: 0x1001, flags: 0x5 });
  });

  it("a GID answer holds one DGID", () => {
    const gid = Gid.parse("fe80::10:3");
    const bytes = encodeNetlinkGidAnswer({ sequence: 7, pid: 9, gid });
    expect(bytes).toEqual(hex("24000000 0210 0000 07000000 09000000 1400 0400 fe80 00*11 100003"));
    expect(decodeNetlinkLsAnswer(bytes)).toMatchObject({ isFailure: false, gid, paths: [] });
  });

  it("statuses have names", () => {
    expect(acmStatusName(7)).toBe("ESRCADDR");
    expect(acmStatusName(4)).toBeUndefined();
  });
});

// Received from a Linux 6.1 kernel: what it says to SET_TIMEOUT with sequence number 77.
describe("what a kernel says to SET_TIMEOUT", () => {
  const about = { type: 0x1001, flags: 5, sequence: 77, pid: 0xa7 };

  it("an acknowledgement is errno 0", () => {
    const bytes = hex("24000000020000014d000000a70000000000000018000000011005004d000000a7000000");
    expect(decodeNetlinkError(bytes)).toEqual({ errno: 0, about: { ...about, length: 24 } });
  });

  it("a refusal of one without CAP_NET_ADMIN is EPERM, with the message it is about", () => {
    const bytes = hex("2c000000020000004d000000d2000000ffffffff18000000011005004d000000d200000008000200d0070000");
    expect(decodeNetlinkError(bytes)).toMatchObject({ errno: 1, about: { ...about, pid: 0xd2 } });
  });

  it("a refusal in another network name space is EINVAL", () => {
    const bytes = hex("2c000000020000004d000000d3000000eaffffff18000000011005004d000000d300000008000200d0070000");
    expect(decodeNetlinkError(bytes).errno).toBe(22);
  });

  it("anything else, and anything shorter, is refused", () => {
    const bytes = hex("24000000020000014d000000a70000000000000018000000011005004d000000a7000000");
    for (let length = 0; length < bytes.length; length++) {
      expect(() => decodeNetlinkError(bytes.subarray(0, length))).toThrow(coded("VERBENA_IB_MALFORMED"));
    }
    expect(() => decodeNetlinkError(request("set-timeout-op"))).toThrow(coded("VERBENA_IB_MALFORMED", "type 2"));
  });
});

describe("splitNetlinkMessages", () => {
  const odd = hex("15000000 0000 0000 00000000 00000000 01020304 05");
  const whole = request("set-timeout-op");

  it("gives each message as long as its header says, padding left out", () => {
    const { messages, rest } = splitNetlinkMessages(Buffer.concat([odd, Buffer.alloc(3), whole]));
    expect(messages).toEqual([odd, whole]);
    expect(rest).toBe(0);
    expect(splitNetlinkMessages(odd)).toEqual({ messages: [odd], rest: 0 });
    expect(splitNetlinkMessages(Buffer.alloc(0))).toEqual({ messages: [], rest: 0 });
  });

  it("stops where a length cannot be", () => {
    const short = hex("0f000000 0000 0000 00000000 00000000");
    const long = hex("11000000 0000 0000 00000000 00000000");
    for (const end of [short, long, whole.subarray(0, 15), Buffer.alloc(16)]) {
      expect(splitNetlinkMessages(Buffer.concat([whole, end]))).toEqual({ messages: [whole], rest: end.length });
    }
  });
});
