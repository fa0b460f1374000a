import { isScopedAddress } from "./scoped-address.js";

describe("an address with a scope id", () => {
  it.each(["fe80::1%ib0", "2001:db8::1%eth0", "192.0.2.1%eth0", "fe80::1%"])("is %s", (text) => {
    expect(isScopedAddress(text)).toBe(true);
  });

  it.each(["fe80::1", "node%1", "%ib0", "100%", "fe80::xyz%ib0", ""])("is not %j", (text) => {
    expect(isScopedAddress(text)).toBe(false);
  });
});
