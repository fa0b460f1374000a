import {
  acmStatusName,
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
