import { IpAddress } from "@verbena/ib";
import { compareAddresses } from "./address-order.js";

test.each([
  ["10.2.0.1", "10.2.0.2"],
  ["9.255.255.255", "10.0.0.0"],
  ["10.0.0.9", "10.0.0.10"],
  // As ::ffff:255.0.0.1.
  ["255.0.0.1", "2001:db8::1"],
  ["::1", "10.0.0.1"],
  ["fe80::1", "fe80::2"],
])("%s is smaller than %s", (smaller, larger) => {
  const [a, b] = [IpAddress.parse(smaller), IpAddress.parse(larger)];
  expect(compareAddresses(a, b)).toBeLessThan(0);
  expect(compareAddresses(b, a)).toBeGreaterThan(0);
  expect(compareAddresses(a, a)).toBe(0);
});
