import { VirtualClock } from "@verbena/core/testing";
import type { Lid } from "@verbena/ib";
import { FAMILIES } from "../../test/support/families.js";
import { BASE, gidOf, to } from "../../test/support/parts.js";
import { HeardAddresses } from "./heard-addresses.js";
import { LruMap } from "./lru-map.js";
import { PeerTable } from "./peer-table.js";
import { RateLimiter } from "./rate-limit.js";

const peer = (n: number, lid = n, qpn = 0x50) => ({ gid: gidOf(n), lid: lid as Lid, qpn, mgid: BASE });

describe("the peers that were heard", () => {
  it("have moved when another LID speaks for their GID, however often they restart", () => {
    const peers = new PeerTable(10, new VirtualClock());
    const told = [peer(2), peer(2), peer(2, 2, 0x51), peer(2, 9, 0x51), peer(2, 9)].map((heard) =>
      peers.hear(heard, 0),
    );
    expect(told).toEqual([undefined, undefined, undefined, peer(2, 2, 0x51), undefined]);
  });

  it("have not moved when they speak from another of their LIDs", () => {
    const peers = new PeerTable(10, new VirtualClock());
    expect([8, 11, 12].map((lid) => peers.hear(peer(2, lid), 2)?.lid)).toEqual([undefined, undefined, 11]);
  });

  it("are so many at most, the one unheard longest goes first", () => {
    const peers = new PeerTable(3, new VirtualClock());
    for (const n of [1, 2, 3, 1, 4]) peers.hear(peer(n), 0);
    expect([1, 2, 3, 4].map((n) => peers.get(gidOf(n)) !== undefined)).toEqual([true, false, true, true]);
    expect(peers.size).toBe(3);
  });
});

test.each(FAMILIES)(
  "an $family address that is heard again is news after a second, or at once when its owner, LID or queue pair is another",
  async ({ host }) => {
    const clock = new VirtualClock();
    const heard = new HeardAddresses(10, clock);
    const address = to(host(9));
    expect([peer(2), peer(2), peer(3), peer(3, 4), peer(3, 4, 0x51)].map((of) => heard.hear(address, of))).toEqual([
      true,
      false,
      true,
      true,
      true,
    ]);
    await clock.advance(1_000);
    expect(heard.hear(address, peer(3, 4, 0x51))).toBe(true);
    expect([2, 3].map((n) => heard.isKnown(address, peer(n)))).toEqual([false, true]);
  },
);

test.each(FAMILIES)(
  "an $family address that is in doubt is news when it is heard again, and still known to be its owner's",
  async ({ host }) => {
    const clock = new VirtualClock();
    const heard = new HeardAddresses(10, clock);
    const address = to(host(9));
    heard.hear(address, peer(2));
    await clock.advance(10);
    heard.doubt();
    await clock.advance(10);
    expect(heard.isKnown(address, peer(2))).toBe(true);
    expect([heard.hear(address, peer(2)), heard.hear(address, peer(2))]).toEqual([true, false]);
  },
);

test.each(FAMILIES)(
  "each twelfth question for an $family address to its owner alone is everybody's, until it is another's",
  ({ host }) => {
    const heard = new HeardAddresses(10, new VirtualClock());
    const address = to(host(9));
    const turns = (times: number): number[] =>
      Array.from({ length: times }, (_, n) => n + 1).filter(() => heard.isEverybodysTurn(address));
    expect(turns(30)).toEqual([]);
    heard.hear(address, peer(2));
    expect(turns(30)).toEqual([12, 24]);
    heard.hear(address, peer(2, 9));
    expect(turns(6)).toEqual([6]);
    expect(turns(6)).toEqual([]);
    heard.hear(address, peer(3));
    expect(turns(12)).toEqual([12]);
  },
);

test("a bounded map tells what it lets go of", () => {
  const gone: string[] = [];
  const map = new LruMap<number, string>(2, (value) => gone.push(value));
  map.set(1, "one");
  map.set(2, "two");
  map.get(1);
  map.set(3, "three");
  map.set(3, "three again");
  expect(gone).toEqual(["two"]);
});

test("a rate is a burst, then so many a second, for each sender by itself", async () => {
  const clock = new VirtualClock();
  const limiter = new RateLimiter<number>({ burst: 3, perSecond: 2 }, clock, 10);
  const taken = (key: number): number => Array.from({ length: 10 }, () => limiter.take(key)).filter(Boolean).length;
  expect([taken(1), taken(1), taken(2)]).toEqual([3, 0, 3]);
  await clock.advance(1000);
  expect(taken(1)).toBe(2);
  await clock.advance(60_000);
  expect(taken(1)).toBe(3);
});
