import { emptyPathRecord, Gid, Lid, type PathRecord } from "@verbena/ib";
import fc from "fast-check";
import type { AddressValue } from "../engine/address-question.js";
import { addressCodec, endMarks, RouteCodec } from "../engine/entry-codecs.js";
import type { RouteValue } from "../engine/route-question.js";
import { Destination } from "../sdk/destination.js";
import { VirtualClock } from "../testing/index.js";
import type { CacheScope, PositiveEntry } from "./cache-entry.js";
import type { NewEntry, ValueCodec } from "./entry-rows.js";
import { ResolutionCache } from "./resolution-cache.js";

const MAX = 6;
const FIRST: CacheScope = { prefix: "1:", generation: 1 };
const SECOND: CacheScope = { prefix: "1:", generation: 2 };

/** The same cache, written as plainly as can be: a map in the order of last use. */
class Model<V extends object> {
  readonly #entries = new Map<string, NewEntry<V>>();

  get(key: string, scope: CacheScope, now: number): NewEntry<V> | undefined {
    const entry = this.#entries.get(key);
    this.#entries.delete(key);
    if (entry?.scope !== scope || entry.expiresAt <= now) return undefined;
    this.#entries.set(key, entry);
    return entry;
  }

  put(entry: NewEntry<V>): void {
    this.#entries.delete(entry.key);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size === MAX && oldest !== undefined) this.#entries.delete(oldest);
    this.#entries.set(entry.key, entry);
  }

  refresh(key: string, refreshAt: number): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.#entries.set(key, { ...entry, refreshAt });
  }

  drop(pick: (entry: NewEntry<V>) => boolean): number {
    const picked = [...this.#entries.values()].filter(pick);
    for (const { key } of picked) this.#entries.delete(key);
    return picked.length;
  }

  replace(by: (entry: NewEntry<V>) => NewEntry<V> | undefined, now: number): void {
    for (const entry of [...this.#entries.values()]) {
      const other = entry.expiresAt > now ? by(entry) : undefined;
      if (other !== undefined) this.put(other);
    }
  }

  entries(now: number): NewEntry<V>[] {
    return [...this.#entries.values()].filter(({ expiresAt }) => expiresAt > now).reverse();
  }
}

type Act<V> =
  | { readonly act: "put"; readonly content: Pick<NewEntry<V>, "key" | "subject" | "value">; readonly ttlMs: number }
  | { readonly act: "get" | "refresh"; readonly key: string }
  | { readonly act: "drop" | "replace"; readonly gid: Gid }
  | { readonly act: "wait"; readonly ms: number }
  | { readonly act: "scope" };

const gid = fc.bigInt(0n, 9n).map((n) => Gid.of(Gid.linkLocalPrefix + (n & 1n), n >> 1n));
const lid = fc.integer({ min: 1, max: 4 }).map((n) => Lid.from(n));
const names = ["node1", "Node1", "x".repeat(80), "n\u00f6de", "\u540d", "2001:db8::1"];
const address: fc.Arbitrary<{ key: string; subject: Destination; value: AddressValue }> = fc
  .record({
    text: fc.constantFrom(...names),
    answer: fc.oneof(
      fc.record({ gid, lid }, { requiredKeys: ["gid"] }),
      fc.record({ gid, hint: fc.constant("h"), ttlMs: fc.nat(9) }),
      fc.record({ lid }),
      fc.record({ path: gid.map((dgid) => emptyPathRecord({ dgid })) }),
    ),
  })
  .map(({ text, answer }) => {
    const subject = Destination.name(text);
    return { key: `1:n${text.toLowerCase()}`, subject, value: { answer, routeKey: undefined } };
  });
const path: fc.Arbitrary<PathRecord> = fc
  .record({ dgid: gid, dlid: lid, flowLabel: fc.nat(0xf_ffff), mtu: fc.constantFrom(4, 5, 4.5) })
  .map((fields) => emptyPathRecord(fields as Partial<PathRecord>));
const odd = path.map(({ dgid, dlid }) => ({ dgid, dlid }) as PathRecord);
const route: fc.Arbitrary<{ key: string; subject: Destination; value: RouteValue }> = fc
  .record({
    paths: fc.array(fc.oneof({ weight: 4, arbitrary: path }, odd), { minLength: 1, maxLength: 2 }),
    kind: fc.nat(2),
  })
  .map(({ paths, kind }) => {
    const { dgid = Gid.zero, dlid = Lid.zero } = paths[0] ?? {};
    const [byGid, byLid] = [`g${dgid.toString(16)}`, `l${dlid}`];
    const key = `1:r${kind === 0 ? byGid : kind === 1 ? `${byLid}s1` : byLid + byGid}`;
    return { key, subject: kind === 1 ? Destination.lid(dlid) : Destination.gid(dgid), value: { paths } };
  });

function acts<V>(content: fc.Arbitrary<{ key: string; subject: Destination; value: V }>): fc.Arbitrary<Act<V>[]> {
  const key = content.map((of) => of.key);
  const act: fc.Arbitrary<Act<V>> = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ act: fc.constant("put" as const), content, ttlMs: fc.constantFrom(5, Infinity) }),
    },
    { weight: 3, arbitrary: fc.record({ act: fc.constantFrom("get" as const, "refresh" as const), key }) },
    fc.record({ act: fc.constantFrom("drop" as const, "replace" as const), gid }),
    fc.record({ act: fc.constant("wait" as const), ms: fc.nat(4) }),
    fc.constant({ act: "scope" as const }),
  );
  return fc.array(act, { maxLength: 50 });
}

/** What is told about an entry, without its number. */
function said<V>(entry: PositiveEntry<V> | undefined): NewEntry<V> | undefined {
  if (entry === undefined) return undefined;
  const { ground: _, ...rest } = entry;
  return rest;
}

async function compare<V extends object>(list: readonly Act<V>[], codec: ValueCodec<V>, ends: (value: V) => unknown[]) {
  const clock = new VirtualClock(1);
  const living = new Set<number>();
  const onGone = (ground: number): void => {
    expect(living.delete(ground)).toBe(true);
  };
  const cache = new ResolutionCache<V>({ clock, maxEntries: MAX, codec, onGone });
  const model = new Model<V>();
  let scope = FIRST;
  for (const act of list) {
    const now = clock.now();
    if (act.act === "put") {
      const life = { createdAt: now, expiresAt: now + act.ttlMs, refreshAt: now + act.ttlMs / 2 };
      const entry: NewEntry<V> = {
        ...act.content,
        ...life,
        scope,
        provider: "sa",
        state: "positive",
        origin: "learned",
      };
      const kept = cache.put(entry);
      expect(living.has(kept.ground)).toBe(false);
      living.add(kept.ground);
      expect(said(kept)).toEqual(entry);
      model.put(entry);
    } else if (act.act === "get") {
      expect(said(cache.get(act.key, scope, now))).toEqual(model.get(act.key, scope, now));
    } else if (act.act === "refresh") {
      const entry = cache.get(act.key, scope, now);
      if (model.get(act.key, scope, now) === undefined || entry === undefined) continue;
      cache.setRefreshAt({ ...entry, ground: -1 }, 7);
      cache.setRefreshAt(entry, 9);
      model.refresh(act.key, 9);
    } else if (act.act === "drop") {
      const pick = ({ value }: { readonly value: V }): boolean => ends(value).includes(act.gid);
      const dropped = cache.drop((entry) => entry.state === "positive" && pick(entry), endMarks([act.gid]));
      expect(dropped).toBe(model.drop(pick));
    } else if (act.act === "replace") {
      const by = (entry: NewEntry<V>): NewEntry<V> | undefined =>
        ends(entry.value).includes(act.gid) ? { ...entry, keptAt: now, refreshAt: now } : undefined;
      cache.replace(by);
      model.replace(by, now);
      // Nobody is told the numbers of those that have come.
      for (const entry of cache.entries()) if (entry.state === "positive") living.add(entry.ground);
    } else if (act.act === "wait") {
      await clock.advance(act.ms);
    } else scope = scope === FIRST ? SECOND : FIRST;
    const entries = [...cache.entries()].map((entry) => (entry.state === "positive" ? said(entry) : entry));
    expect(entries).toEqual(model.entries(clock.now()));
  }
  expect(living.size).toBe(cache.size);
}

describe("ResolutionCache beside a plain map", () => {
  it("keeps addresses as they were put in, over any course of things", async () => {
    const ends = ({ answer }: AddressValue): unknown[] => [answer.gid, answer.path?.dgid];
    await fc.assert(
      fc.asyncProperty(acts(address), (list) => compare(list, addressCodec, ends)),
      { numRuns: 40 },
    );
  });

  it("keeps paths as they were put in, over any course of things", async () => {
    const ends = ({ paths }: RouteValue): unknown[] => paths.map(({ dgid }) => dgid);
    await fc.assert(
      fc.asyncProperty(acts(route), (list) => compare(list, new RouteCodec(), ends)),
      { numRuns: 40 },
    );
  });

  it("finds thousands of keys after any of them were removed", () => {
    const clock = new VirtualClock(1);
    const scope = FIRST;
    const cache = new ResolutionCache<AddressValue>({ clock, maxEntries: 5_000, codec: addressCodec });
    const life = { createdAt: 1, expiresAt: Infinity, refreshAt: Infinity, scope, provider: "sa" };
    for (let n = 0; n < 10_000; n += 1) {
      const subject = Destination.name(`host-${n}`);
      const value: AddressValue = { answer: { gid: Gid.of(1n, BigInt(n)) }, routeKey: undefined };
      cache.put({ ...life, key: `1:nhost-${n}`, subject, value, state: "positive", origin: "file" });
    }
    expect(cache.size).toBe(5_000);
    expect(cache.drop((entry) => entry.key.endsWith("7"))).toBe(500);
    const wrong = Array.from({ length: 10_000 }, (_, n) => n).filter((n) => {
      const isThere = n >= 5_000 && n % 10 !== 7;
      return cache.get(`1:nhost-${n}`, scope, 2)?.subject.text !== (isThere ? `host-${n}` : undefined);
    });
    expect(wrong).toEqual([]);
  });
});
