import { Destination } from "@verbena/core/sdk";
import type { Gid, Lid } from "@verbena/ib";
import * as fc from "fast-check";
import { gidOf, to } from "../../test/support/parts.js";
import { decodeAddress, encodeAddress } from "./acm-address.js";

const info = (hex: string): Buffer => Buffer.concat([Buffer.from(hex, "hex"), Buffer.alloc(64)]).subarray(0, 64);

describe("an address on the wire", () => {
  it.each<readonly [string, Destination, number, string]>([
    ["a name, spelled as given", to("Node2"), 1, "4e6f646532"],
    ["IPv4", to("192.0.2.2"), 2, "c0000202"],
    ["IPv6", to("2001:db8::2"), 3, "20010db8000000000000000000000002"],
    ["a GID", Destination.gid(gidOf(2)), 4, "fe800000000000000000000000100002"],
    ["a LID", Destination.lid(0x1234 as Lid), 5, "1234"],
  ])("%s has its type, and 64 bytes that end in zeros", (_what, address, type, hex) => {
    expect(encodeAddress(address)).toEqual({ type, info: info(hex) });
    expect(decodeAddress({ type, info: info(hex) })).toMatchObject({ kind: address.kind });
  });

  it("of a name is compared without case and shown as it was spelled", () => {
    expect(decodeAddress({ type: 1, info: info("4e6f646532") })).toEqual({
      kind: "name",
      name: "node2",
      text: "Node2",
    });
  });

  it.each([
    ["a type that is none", 6, "00"],
    ["a path", 16, "00"],
    ["an empty name", 1, "00"],
    ["a name of 64 bytes", 1, "61".repeat(64)],
    ["a name with a line break", 1, "6e6f640a6532"],
    ["a name that is no text", 1, "ff61"],
    ["IPv4 with something behind it", 2, "c000020201"],
    ["IPv6 with something behind it", 3, `${"20".repeat(16)}01`],
    ["a LID with something behind it", 5, "123401"],
  ])("%s is none", (_what, type, hex) => {
    expect(decodeAddress({ type, info: info(hex) })).toBeUndefined();
  });

  it("of a name takes what is behind its zero for nothing", () => {
    expect(decodeAddress({ type: 1, info: info("6e6f64653200ff") })).toMatchObject({ name: "node2" });
  });

  it("of random bytes is an address or none, and an address gives its own bytes back", () => {
    fc.assert(
      fc.property(fc.nat(20), fc.uint8Array({ minLength: 64, maxLength: 64 }), (type, raw) => {
        const address = decodeAddress({ type, info: Buffer.from(raw) });
        if (address === undefined || address.kind === "name") return;
        expect(encodeAddress(address)).toEqual({ type, info: Buffer.from(raw) });
      }),
    );
  });

  it("of a host whose name does not fit is refused", () => {
    expect(() => encodeAddress(to("n".repeat(65)))).toThrow(expect.objectContaining({ code: "VERBENA_IB_VALUE" }));
    expect(encodeAddress(Destination.gid(0n as Gid)).info).toHaveLength(64);
  });
});
