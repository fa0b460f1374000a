import { Destination, type LocalAddress } from "@verbena/core/sdk";
import type { Lid } from "@verbena/ib";
import { FAMILIES } from "../../test/support/families.js";
import { gidOf, ip, named, PORT, to } from "../../test/support/parts.js";
import { OwnAddresses } from "./own-addresses.js";

const of = (addresses: readonly LocalAddress[], port: Partial<typeof PORT> = {}) =>
  new OwnAddresses(addresses, () => ({ ...PORT, ...port }));

describe("the source of a question", () => {
  const addresses = of([named("node1"), ...[1, 7].flatMap((n) => FAMILIES.map(({ host }) => ip(host(n))))]);

  it.each<readonly [string, string]>([
    ["node2", "node1"],
    ...FAMILIES.map(({ host }): readonly [string, string] => [host(2), host(1)]),
  ])("for %s is the first address of the same kind: %s", (destination, source) => {
    expect(addresses.sourceFor(to(destination))?.text).toBe(source);
  });

  it.each(FAMILIES)("for $family is who asks, as spelled, if that is an address of the endpoint", ({ host }) => {
    const asker = (by: Destination) => addresses.sourceFor(to(host(2)), by)?.text;
    expect([to(host(7)), to("NODE1")].map(asker)).toEqual([host(7), "NODE1"]);
    expect([to(host(8)), Destination.gid(gidOf(1))].map(asker)).toEqual([host(1), host(1)]);
  });

  it.each(FAMILIES)("for $family is the first address there is where none is of that kind", ({ family, host }) => {
    const other = FAMILIES.filter((one) => one.family !== family).map((one) => ip(one.host(1)));
    expect(of([named("node1"), ...other]).sourceFor(to(host(2)))?.text).toBe("node1");
  });

  it("is none where there is none", () => {
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
