import fc from "fast-check";
import { coded } from "../../test/coded.js";
import { IpAddress } from "./ip-address.js";

describe("IpAddress", () => {
  it.each([
    ["192.0.2.1", "192.0.2.1"],
    ["2001:DB8::0:1", "2001:db8::1"],
    ["::ffff:192.0.2.1", "::ffff:192.0.2.1"],
  ])("reads %s as %s", (text, canonical) => {
    expect(IpAddress.parse(text)).toBe(canonical);
  });

  it.each(["", "192.0.2", "192.0.2.256", "192.0.02.1", "0x7f.0.0.1", "192.0.2.1/24", "host", "::1::"])(
    "refuses %j",
    (text) => {
      expect(IpAddress.tryParse(text)).toBeUndefined();
      expect(() => IpAddress.parse(text)).toThrow(coded("VERBENA_IB_SYNTAX"));
    },
  );

  it("says why a scoped address is refused", () => {
    const scoped = () => IpAddress.parse("fe80::1%ib0");
    expect(scoped).toThrow(
      expect.objectContaining({ hint: expect.stringContaining("without scope id") as unknown }) as Error,
    );
  });

  it("keeps every address through its bytes", () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
        const address = IpAddress.parse(text);
        expect(IpAddress.fromBytes(IpAddress.bytes(address))).toBe(address);
        expect(IpAddress.bytes(address)).toHaveLength(IpAddress.family(address) === 4 ? 4 : 16);
      }),
    );
  });

  it("refuses other lengths", () => {
    expect(() => IpAddress.fromBytes(Buffer.alloc(5))).toThrow(coded("VERBENA_IB_MALFORMED"));
  });

  it.each([
    ["169.254.1.1", true],
    ["192.0.2.1", false],
    ["fe80::1", true],
    ["2001:db8::1", false],
  ])("knows whether %s is link-local: %s", (text, expected) => {
    expect(IpAddress.isLinkLocal(IpAddress.parse(text))).toBe(expected);
  });
});
