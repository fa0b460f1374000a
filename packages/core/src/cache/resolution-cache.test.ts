import type { Destination } from "../sdk/destination.js";
import { VirtualClock } from "../testing/index.js";
import type { CacheScope } from "./cache-entry.js";
import { ResolutionCache } from "./resolution-cache.js";

interface Value {
  readonly n: number;
}
const scope: CacheScope = { prefix: "1:", generation: 1 };
const subject: Destination = { kind: "name", name: "a", text: "A" };

function setUp(maxEntries = 100) {
  const clock = new VirtualClock(1000);
  const cache = new ResolutionCache<Value>({ clock, maxEntries });
  const put = (key: string, ttlMs: number, of = scope): void => {
    const createdAt = clock.now();
    const common = { key, scope: of, subject, provider: "sa", createdAt, expiresAt: createdAt + ttlMs };
    cache.put({ ...common, state: "positive", origin: "provider", value: { n: 1 }, refreshAt: Infinity });
  };
  const fail = (key: string, ttlMs: number): void => {
    const createdAt = clock.now();
    const common = { key, scope, subject, provider: "sa", createdAt, expiresAt: createdAt + ttlMs };
    cache.putNegative({ ...common, state: "negative", reason: { kind: "no-data" } });
  };
  return { clock, cache, put, fail };
}

describe("ResolutionCache", () => {
  it("keeps an entry for its time, to the millisecond", async () => {
    const { clock, cache, put } = setUp();
    put("a", 10);
    await clock.advance(9);
    expect(cache.get("a", scope, clock.now())?.value).toEqual({ n: 1 });
    await clock.advance(1);
    expect(cache.get("a", scope, clock.now())).toBeUndefined();
    expect(cache.size).toBe(0);
  });

  it("knows nothing of another generation", () => {
    const { clock, cache, put } = setUp();
    put("a", Infinity);
    expect(cache.get("a", { prefix: "1:", generation: 2 }, clock.now())).toBeUndefined();
    expect(cache.get("a", scope, clock.now())).toBeUndefined();
  });

  it("replaces a negative entry by a positive one and the other way round", () => {
    const { clock, cache, put, fail } = setUp();
    fail("a", 1000);
    expect(cache.getNegative("a", scope, clock.now())?.reason).toEqual({ kind: "no-data" });
    put("a", 1000);
    expect(cache.getNegative("a", scope, clock.now())).toBeUndefined();
    fail("a", 1000);
    expect(cache.get("a", scope, clock.now())).toBeUndefined();
    expect(cache.size).toBe(1);
  });

  it("is bounded, drops the least recently used, and unknown names push nothing known out", () => {
    const { clock, cache, put, fail } = setUp(16);
    for (let n = 0; n < 16; n += 1) put(`k${n}`, 1000);
    for (let n = 0; n < 1000; n += 1) fail(`x${n}`, 1000);
    expect(cache.size).toBe(18);
    cache.get("k0", scope, clock.now());
    put("k16", 1000);
    expect(cache.get("k0", scope, clock.now())).toBeDefined();
    expect(cache.get("k1", scope, clock.now())).toBeUndefined();
  });

  it("lists what lives and drops what it is told to", async () => {
    const { clock, cache, put, fail } = setUp();
    put("a", 10);
    put("b", 100);
    fail("c", 100);
    await clock.advance(50);
    expect([...cache.entries()].map((entry) => `${entry.key} ${entry.state}`)).toEqual(["b positive", "c negative"]);
    expect(cache.drop((entry) => entry.state === "negative")).toBe(1);
    expect(cache.drop((entry) => entry.key === "b")).toBe(1);
  });
});
