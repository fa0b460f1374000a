import type { CacheEntryJson } from "@verbena/core/client";
import { knownHosts } from "./known-hosts.js";

const entry = (destination: string, fields: Partial<CacheEntryJson> = {}): CacheEntryJson => ({
  cache: "address",
  endpoint: "sim0/1/0xffff",
  destination,
  state: "positive",
  provider: "acm",
  from: "learned",
  gid: `fe80::${destination.length.toString(16)}`,
  ageMs: 1,
  ...fields,
});

describe("hosts a daemon has found", () => {
  it("are each named once, by what was asked first, up to a limit", () => {
    const entries = [entry("h2"), entry("192.0.2.2", { gid: "fe80::2" }), entry("2001:db8::3"), entry("node4")];
    expect(knownHosts(entries, 2)).toEqual(["name:h2", "ip:2001:db8::3"]);
  });

  it("are asked for by name whatever their names look like, and not at all where no name can be such", () => {
    const names = ["50000", "7", "gid:x", "fe80::1%ib0", "fe80::7", "", "n".repeat(64), "node4"];
    const entries = names.map((name, i) => entry(name, { gid: `fe80::${String(i + 1)}` }));
    expect(knownHosts(entries, 9)).toEqual(["name:50000", "name:7", "name:gid:x", "ip:fe80::7", "name:node4"]);
  });

  it("are none that are this host, nowhere, or known as a path only", () => {
    const { gid: _gid, ...nowhere } = entry("h2");
    const others = [
      entry("h2", { from: "local" }),
      entry("h3", { state: "negative" }),
      entry("h4", { cache: "route" }),
    ];
    expect(knownHosts([nowhere, ...others], 9)).toEqual([]);
  });
});
