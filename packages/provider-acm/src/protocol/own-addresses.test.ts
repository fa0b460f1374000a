import { Destination, type LocalAddress } from "@verbena/core/sdk";
import type { Lid } from "@verbena/ib";
import { gidOf, ip, named, PORT, to } from "../../test/support/parts.js";
import { OwnAddresses } from "./own-addresses.js";

const of = (addresses: readonly LocalAddress[], port: Partial<typeof PORT> = {}) =>
  new OwnAddresses(addresses, () => ({ ...PORT, ...port }));

describe("the source of a question", () => {
  const addresses = of([named("node1"), ip("192.0.2.1"), ip("192.0.2.7"), ip("2001:db8::1")]);

  it.each([
    ["node2", "node1"],
    ["192.0.2.2", "192.0.2.1"],
    ["2001:db8::2", "2001:db8::1"],
  ])("for %s is the first address of the same kind: %s", (destination, source) => {
    expect(addresses.sourceFor(to(destination))?.text).toBe(source);
  });

  it("is who asks, as spelled, if that is an address of the endpoint", () => {
    expect(addresses.sourceFor(to("192.0.2.2"), to("192.0.2.7"))?.text).toBe("192.0.2.7");
    expect(addresses.sourceFor(to("192.0.2.2"), to("NODE1"))?.text).toBe("NODE1");
    expect(addresses.sourceFor(to("192.0.2.2"), to("192.0.2.8"))?.text).toBe("192.0.2.1");
    expect(addresses.sourceFor(to("192.0.2.2"), Destination.gid(gidOf(1)))?.text).toBe("192.0.2.1");
  });

  it("is the first address there is where none is of that kind, and none where there is none", () => {
    expect(of([named("node1"), ip("192.0.2.1")]).sourceFor(to("2001:db8::2"))?.text).toBe("node1");
    expect(of([]).sourceFor(to("node2"))).toBeUndefined();
  });
});

describe("an endpoint answers", () => {
  it("for every LID of its port", () => {
    const addresses = of([], { lid: 8 as Lid, lmc: 2 });
    expect([7, 8, 11, 12].map((lid) => addresses.has(Destination.lid(lid as Lid)))).toEqual([false, true, true, false]);
  });

  it("for the GIDs of its port, and no other", () => {
    expect([1, 2].map((n) => of([]).has(Destination.gid(gidOf(n))))).toEqual([true, false]);
  });

  it("for an address from when it comes until it goes", () => {
    const addresses = of([]);
    expect(addresses.add(named("Node1"))).toBe(true);
    expect(addresses.add(named("node1"))).toBe(false);
    expect(addresses.has(to("NODE1"))).toBe(true);
    addresses.remove(named("NODE1"));
    expect(addresses.has(to("node1"))).toBe(false);
  });
});
