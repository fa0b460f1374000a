import { coded } from "../../test/coded.js";
import { hex } from "../../test/vectors.js";
import { Gid } from "../value/gid.js";
import { Lid } from "../value/lid.js";
import { type AcmAddress, acmAddressOf, acmAddressRecord } from "./address-record.js";
import { ACM_FLAG, ACM_MAX_MESSAGE, ACM_TYPE } from "./constants.js";
import { decodeAcmHeader, decodeAcmReplyHeader } from "./header.js";
import { acmRequestLength, decodeAcmRequest, encodeResolveRequest } from "./request.js";

const record = acmAddressRecord(ACM_FLAG.DEST, { type: "name", name: "node2" });

describe("request length", () => {
  const resolve = hex("01 01 00 00 00 00 5800 00*8");

  it("is known from the header alone, at any offset", () => {
    expect(acmRequestLength(resolve)).toBe(88);
    expect(acmRequestLength(Buffer.concat([Buffer.alloc(3), resolve]), 3)).toBe(88);
  });

  it("is open while the header is incomplete", () => {
    for (let length = 0; length < 16; length++) expect(acmRequestLength(resolve.subarray(0, length))).toBeUndefined();
  });

  it.each([0, 1, 2, 3, 4, 5, 6, 7, 8])("of %i records is accepted", (count) => {
    const bytes = encodeResolveRequest({ records: Array.from({ length: count }, () => record) });
    expect(bytes).toHaveLength(16 + 72 * count);
    expect(acmRequestLength(bytes)).toBe(bytes.length);
    const request = decodeAcmRequest(bytes);
    expect(request.kind === "resolve" && request.records).toHaveLength(count);
  });

  it.each([0, 15, 17, 87, 89, 593, ACM_MAX_MESSAGE + 72, 0xffff])("of %i bytes is refused", (length) => {
    const bytes = Buffer.from(resolve);
    bytes.writeUInt16LE(length, 6);
    expect(() => acmRequestLength(bytes)).toThrow(coded("VERBENA_IB_MALFORMED"));
  });

  it("of more than eight records cannot be encoded", () => {
    const records = Array.from({ length: 9 }, () => record);
    expect(() => encodeResolveRequest({ records })).toThrow(coded("VERBENA_IB_VALUE", "records.length"));
  });
});

describe("header", () => {
  it("of a RESOLVE request has its length in host order only for the exact opcode", () => {
    expect(decodeAcmHeader(hex("01 01 00000000 5800 00*8")).length).toBe(88);
    expect(decodeAcmHeader(hex("01 81 00000000 0058 00*8")).length).toBe(88);
    expect(decodeAcmHeader(hex("01 11 00000000 0058 00*8")).length).toBe(88);
  });

  it("of a RESOLVE reply has it in host order with and without the ACK bit", () => {
    expect(decodeAcmReplyHeader(hex("01 01 00000000 5800 00*8")).length).toBe(88);
    expect(decodeAcmReplyHeader(hex("01 81 00000000 5800 00*8")).length).toBe(88);
    expect(decodeAcmReplyHeader(hex("01 82 00000000 0048 00*8")).length).toBe(72);
  });

  it("hands on the transaction id unchanged", () => {
    const bytes = encodeResolveRequest({ tid: 0xfedc_ba98_7654_3210n, records: [] });
    expect(bytes.subarray(8)).toEqual(hex("1032547698badcfe"));
    expect(decodeAcmRequest(bytes).header.tid).toBe(0xfedc_ba98_7654_3210n);
  });
});

describe("address record", () => {
  const all: readonly AcmAddress[] = [
    { type: "name", name: "x".repeat(64) },
    { type: "ip4", address: Buffer.from([192, 0, 2, 1]) },
    { type: "ip6", address: hex("20010db8 00*11 01") },
    { type: "gid", gid: Gid.parse("fe80::10:1") },
    { type: "lid", lid: Lid.from(5) },
    { type: "unknown", code: 6, info: Buffer.alloc(64, 3) },
  ];

  it.each(all.map((address) => [address.type, address] as const))("says %s and reads it back", (_, address) => {
    const made = acmAddressRecord(ACM_FLAG.SOURCE + ACM_FLAG.NODELAY, address);
    expect(made.flags).toBe(0x4000_0001);
    expect(made.info).toHaveLength(64);
    expect(acmAddressOf(made)).toEqual(address);
  });

  it("has a zero tail", () => {
    expect(acmAddressRecord(0, { type: "ip4", address: Buffer.from([1, 2, 3, 4]) }).info).toEqual(
      hex("01020304 00*60"),
    );
    expect(acmAddressRecord(0, { type: "lid", lid: Lid.from(0x0105) }).info).toEqual(hex("0105 00*62"));
    expect(ACM_TYPE.LID).toBe(5);
  });

  it("refuses what does not fit", () => {
    const value = coded("VERBENA_IB_VALUE");
    expect(() => acmAddressRecord(0, { type: "name", name: "x".repeat(65) })).toThrow(value);
    expect(() => acmAddressRecord(0, { type: "name", name: "a\0b" })).toThrow(value);
    expect(() => acmAddressRecord(0, { type: "ip4", address: Buffer.alloc(16) })).toThrow(value);
    expect(() => acmAddressRecord(0, { type: "ip4", address: Buffer.alloc(3) })).toThrow(value);
    expect(() => acmAddressRecord(0, { type: "ip6", address: Buffer.alloc(4) })).toThrow(value);
    expect(() => acmAddressOf({ type: 1, info: Buffer.alloc(63) })).toThrow(coded("VERBENA_IB_MALFORMED"));
  });
});
