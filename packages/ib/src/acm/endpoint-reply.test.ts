import { coded } from "../../test/coded.js";
import { Guid } from "../value/guid.js";
import { PKey } from "../value/pkey.js";
import { decodeEndpointReply, encodeEndpointReply } from "./endpoint-reply.js";
import { decodePerfReply, encodePerfReply } from "./perf-reply.js";

const endpoint = { guid: Guid.from(0x10_0001n), port: 1, physicalPortCount: 2, pkey: PKey.DEFAULT, provider: "ibacmp" };
const addresses = (count: number): string[] => Array.from({ length: count }, (_, i) => `host-${i}`);

describe("endpoint reply", () => {
  it.each([0, 1, 1022])("holds %i addresses", (count) => {
    const bytes = encodeEndpointReply({ ...endpoint, addresses: addresses(count), tid: 1n, index: 3 });
    expect(bytes).toHaveLength(96 + 64 * count);
    expect(decodeEndpointReply(bytes)).toMatchObject({
      status: 0,
      index: 3,
      endpoint: { ...endpoint, addresses: addresses(count) },
    });
  });

  it("leaves out what its length field cannot say", () => {
    const bytes = encodeEndpointReply({ ...endpoint, addresses: addresses(1023), tid: 1n, index: 1 });
    expect(bytes).toHaveLength(96 + 64 * 1022);
    expect(decodeEndpointReply(bytes).endpoint?.addresses).toEqual(addresses(1022));
  });

  it("takes texts of up to 63 bytes", () => {
    const of = (text: string) => encodeEndpointReply({ ...endpoint, addresses: [text], tid: 1n, index: 1 });
    expect(decodeEndpointReply(of("x".repeat(63))).endpoint?.addresses).toEqual(["x".repeat(63)]);
    expect(() => of("x".repeat(64))).toThrow(coded("VERBENA_IB_VALUE"));
  });

  it("is refused with more addresses announced than there are", () => {
    const bytes = encodeEndpointReply({ ...endpoint, addresses: ["a"], tid: 1n, index: 1 });
    bytes.writeUInt16BE(2, 30);
    expect(() => decodeEndpointReply(bytes)).toThrow(coded("VERBENA_IB_MALFORMED", "2 addresses"));
  });
});

describe("PERF reply", () => {
  it("takes numbers and bigints", () => {
    const bytes = encodePerfReply({ tid: 5n, endpointIndex: 2, counters: [1, 2n, Number.MAX_SAFE_INTEGER] });
    expect(decodePerfReply(bytes)).toMatchObject({ endpointIndex: 2, counters: [1n, 2n, 9007199254740991n] });
  });

  it.each([[[-1]], [[0.5]], [[Number.NaN]], [[1n << 64n]], [[1, 2, 3, 4, 5, 6, 7, 8]]])("refuses %p", (counters) => {
    expect(() => encodePerfReply({ tid: 0n, endpointIndex: 0, counters })).toThrow(coded("VERBENA_IB_VALUE"));
  });

  it("is refused with more counters announced than there are", () => {
    const bytes = encodePerfReply({ tid: 0n, endpointIndex: 0, counters: [1] });
    bytes[3] = 2;
    expect(() => decodePerfReply(bytes)).toThrow(coded("VERBENA_IB_MALFORMED", "2 counters"));
  });
});
