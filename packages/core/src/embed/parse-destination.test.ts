import { type DestinationFormat, formatDestination, parseDestination } from "./parse-destination.js";

describe("parseDestination", () => {
  it.each([
    ["Node12", { kind: "name", name: "node12" }],
    ["name:12", { kind: "name", name: "12" }],
    ["192.0.2.1", { kind: "ip", address: "192.0.2.1" }],
    ["2001:DB8::1", { kind: "ip", address: "2001:db8::1" }],
    ["ip:fe80::1", { kind: "ip", address: "fe80::1" }],
    ["fe80::10:1", { kind: "gid", gid: 0xfe80_0000_0000_0000_0000_0000_0010_0001n }],
    ["gid:2001:db8::1", { kind: "gid", gid: 0x2001_0db8_0000_0000_0000_0000_0000_0001n }],
    ["7", { kind: "lid", lid: 7 }],
    ["0x1f", { kind: "lid", lid: 31 }],
    ["lid:7", { kind: "lid", lid: 7 }],
  ])("reads %s", (text, expected) => {
    expect(parseDestination(text)).toMatchObject(expected);
  });

  it("obeys a format that is given", () => {
    expect(parseDestination("7", "name")).toEqual({ kind: "name", name: "7", text: "7" });
    expect(parseDestination("fe80::1", "ip")).toEqual({ kind: "ip", address: "fe80::1", text: "fe80::1" });
  });

  it.each<[string, DestinationFormat]>([
    ["", "auto"],
    ["0", "auto"],
    ["49152", "auto"],
    ["x".repeat(64), "auto"],
    ["lid:many", "auto"],
    ["node", "ip"],
    ["node", "gid"],
    ["::", "gid"],
    ["node", "lid"],
    ["fe80::1%eth0", "auto"],
    ["ip:fe80::1%eth0", "auto"],
    ["name:fe80::1%eth0", "auto"],
    ["fe80::1%eth0", "name"],
    ["fe80::1%eth0", "ip"],
    ["fe80::1%eth0", "gid"],
    ["gid:ff02::1", "auto"],
    ["ff12:401b::1", "gid"],
  ])("refuses %j as %s", (text, format) => {
    expect(() => parseDestination(text, format)).toThrow(
      expect.objectContaining({ code: "VERBENA_RESOLVE_DESTINATION_SYNTAX" }) as Error,
    );
  });

  it.each(["name:12", "ip:fe80::1", "gid:fe80::10:1", "lid:7"])("writes %s so that it is read again", (text) => {
    expect(formatDestination(parseDestination(text))).toBe(text);
  });
});
