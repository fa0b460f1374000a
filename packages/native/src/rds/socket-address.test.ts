import { IpAddress } from "@verbena/ib";
import { decodeSocketAddress, encodeSocketAddress, SocketAddresses } from "./socket-address.js";

const v4 = { address: IpAddress.parse("10.0.0.1"), port: 4001 };
const v6 = { address: IpAddress.parse("fe80::1"), port: 4001, scopeId: 3 };
const host = (little: string, big: string): string =>
  new Uint8Array(Uint16Array.of(1).buffer)[0] === 1 ? little : big;

test("an IPv4 address is a sockaddr_in: family in host order, port and address in network order", () => {
  expect(encodeSocketAddress(v4).toString("hex")).toBe(`${host("0200", "0002")}0fa10a0000010000000000000000`);
});

test("an IPv6 address is a sockaddr_in6, with its scope in host order", () => {
  expect(encodeSocketAddress(v6).toString("hex")).toBe(
    `${host("0a00", "000a")}0fa100000000fe800000000000000000000000000001${host("03000000", "00000003")}`,
  );
});

test.each([v4, v6, { address: IpAddress.parse("::1"), port: 0 }])("%j comes back from its bytes", (address) => {
  expect(decodeSocketAddress(encodeSocketAddress(address))).toEqual(address);
});

test("no address is what a socket without a name has: nothing, or 16 zero bytes; and what is no IP address", () => {
  for (const bytes of [Buffer.alloc(0), Buffer.alloc(1), Buffer.alloc(16), encodeSocketAddress(v6).subarray(0, 27)]) {
    expect(decodeSocketAddress(bytes)).toBeUndefined();
  }
});

test("remembered addresses are the same ones, also when there are more than it remembers", () => {
  const addresses = new SocketAddresses();
  for (let round = 0; round < 2; round++) {
    for (let port = 0; port < 1500; port++) {
      const bytes = addresses.encode({ ...v4, port });
      expect(bytes.equals(encodeSocketAddress({ ...v4, port }))).toBe(true);
      expect(addresses.decode(bytes)).toEqual({ ...v4, port });
    }
  }
  expect(addresses.encode({ ...v6, scopeId: 4 }).equals(addresses.encode(v6))).toBe(false);
});
