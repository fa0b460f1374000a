import { emptyPathRecord, Gid, Lid, type Mtu, PKey, type Rate } from "@verbena/ib";
import type { PreloadEntry } from "../src/preload/types.js";
import { Destination } from "../src/sdk/destination.js";
import type { LearnedEntry } from "../src/sdk/provider.js";
import { FakeSa } from "../src/testing/index.js";
import {
  ask,
  client,
  codeOf,
  gid,
  HOST,
  ip,
  named,
  nodeGuid,
  startBench,
  toGid,
  toLid,
} from "./support/engine-bench.js";

const NOWHERE = { dgid: Gid.zero, sgid: Gid.zero, dlid: Lid.zero, slid: Lid.zero, pkey: PKey.zero, client };
const MINUTE = 60_000;

describe("engine: times to live", () => {
  it("asks again for a route when it is old, and for the address when that is old", async () => {
    const bench = await startBench({ addressTtlMs: 10 * MINUTE, routeTtlMs: MINUTE, refreshShare: 0 });
    const asked = (): number[] => [bench.provider.addressQuestions.length, bench.provider.routeQuestions.length];
    await bench.clock.run(ask(bench, "node1"));
    await bench.clock.advance(MINUTE - 1);
    expect((await bench.clock.run(ask(bench, "node1"))).expiresInMs).toBe(1);
    expect(asked()).toEqual([1, 1]);
    await bench.clock.advance(1);
    await bench.clock.run(ask(bench, "node1"));
    expect(asked()).toEqual([1, 2]);
    await bench.clock.advance(10 * MINUTE);
    await bench.clock.run(ask(bench, "node1"));
    expect(asked()).toEqual([2, 3]);
    await bench.engine.close();
  });

  it("never lets a route outlive its address, and keeps it for ever if the address may live for ever", async () => {
    const bench = await startBench({ addressTtlMs: MINUTE });
    expect((await bench.clock.run(ask(bench, "node1"))).expiresInMs).toBe(MINUTE);
    await bench.clock.advance(MINUTE);
    expect(
      bench.engine.tryResolveCached({ source: named("host1"), destination: named("node1"), client }),
    ).toBeUndefined();
    const lasting = await startBench({ addressTtlMs: Infinity, routeTtlMs: Infinity });
    expect((await lasting.clock.run(ask(lasting, "node1"))).expiresInMs).toBeUndefined();
    await Promise.all([bench.engine.close(), lasting.engine.close()]);
  });

  it("keeps a path for ten minutes unless told otherwise", async () => {
    const bench = await startBench();
    expect((await bench.clock.run(ask(bench, "node1"))).expiresInMs).toBe(10 * MINUTE);
    await bench.engine.close();
  });

  it("follows the provider's own time to live", async () => {
    const bench = await startBench();
    bench.provider.address = () => Promise.resolve({ gid: gid(nodeGuid(5)), ttlMs: 500 });
    expect((await bench.clock.run(ask(bench, "node5"))).expiresInMs).toBe(500);
    await bench.engine.close();
  });

  it("keys routes by every field the SA looks at", async () => {
    const bench = await startBench();
    const base = { ...NOWHERE, dlid: Lid.from(101) };
    const variants = [
      {},
      { sl: 3 },
      { trafficClass: 1 },
      { qosClass: 2 },
      { serviceId: 0x10n },
      { maxPaths: 2 },
      { reversible: false },
      { dgid: gid(nodeGuid(1)) },
    ];
    for (const variant of [...variants, ...variants])
      await bench.clock.run(bench.engine.resolvePath({ ...base, ...variant }));
    expect(bench.provider.routeQuestions).toHaveLength(variants.length);
    await bench.engine.close();
  });

  it("stays within its bound", async () => {
    const bench = await startBench({ cacheMaxEntries: 10 });
    for (let n = 0; n < 50; n += 1) await bench.clock.run(ask(bench, `node${n}`));
    expect(bench.engine.cacheEntries().filter(({ from }) => from === "provider")).toHaveLength(20);
    await bench.engine.close();
  });
});

describe("engine: what failed", () => {
  it("is remembered for its short time, with the code it failed with", async () => {
    const bench = await startBench();
    expect(await bench.clock.run(codeOf(ask(bench, "ghost")))).toBe("VERBENA_RESOLVE_NO_DATA");
    expect(await bench.clock.run(codeOf(ask(bench, "ghost")))).toBe("VERBENA_RESOLVE_NO_DATA");
    expect(bench.provider.addressQuestions).toHaveLength(1);
    await bench.clock.advance(1000);
    await bench.clock.run(codeOf(ask(bench, "ghost")));
    expect(bench.provider.addressQuestions).toHaveLength(2);
    await bench.engine.close();
  });

  it("carries the SA's status", async () => {
    const bench = await startBench();
    bench.native.sa.handler = () => ({ type: "reply", status: 0x0600 });
    for (const _round of [1, 2]) {
      await expect(bench.clock.run(ask(bench, "node1"))).rejects.toMatchObject({
        code: "VERBENA_RESOLVE_SA_STATUS",
        details: { saStatus: 0x0600 },
      });
    }
    expect(bench.native.sa.queries).toHaveLength(1);
    await bench.engine.close();
  });

  it("is not remembered when told so", async () => {
    const bench = await startBench({ negativeTtlMs: 0 });
    await bench.clock.run(codeOf(ask(bench, "ghost")));
    await bench.clock.run(codeOf(ask(bench, "ghost")));
    expect(bench.provider.addressQuestions).toHaveLength(2);
    await bench.engine.close();
  });
});

describe("engine: requests that share a lookup", () => {
  it("asks once for a thousand, each with its own deadline and signal", async () => {
    const bench = await startBench();
    bench.native.sa.handler = (query) => ({ ...bench.native.sa.answerPath(query), delayMs: 1000 });
    const many = Array.from({ length: 1000 }, () => ask(bench, "node1"));
    const short = codeOf(ask(bench, "node1", { deadlineMs: 100 }));
    const controller = new AbortController();
    const aborted = codeOf(ask(bench, "node1", { signal: controller.signal }));
    await bench.clock.advance(50);
    controller.abort();
    expect(await aborted).toBe("VERBENA_RESOLVE_ABORTED");
    await bench.clock.advance(50);
    expect(await short).toBe("VERBENA_RESOLVE_TIMEOUT");
    const answers = await bench.clock.run(Promise.all(many));
    expect(answers.every(({ paths }) => paths[0]?.dlid === 101)).toBe(true);
    expect(bench.native.sa.queries).toHaveLength(1);
    expect(bench.engine.endpoints()[0]?.counters).toMatchObject({
      addressQuery: 1,
      routeQuery: 1,
      resolve: 1002,
      error: 1,
    });
    await bench.engine.close();
  });

  it("stops asking when the last one has gone", async () => {
    const bench = await startBench();
    bench.native.sa.handler = FakeSa.silent;
    const controller = new AbortController();
    const request = codeOf(ask(bench, "node1", { signal: controller.signal }));
    await bench.clock.advance(10);
    controller.abort();
    expect(await request).toBe("VERBENA_RESOLVE_ABORTED");
    expect(bench.provider.routeQuestions[0]?.context.signal.aborted).toBe(true);
    await bench.clock.advance(10_000);
    expect(bench.native.sa.queries).toHaveLength(1);
    expect(bench.engine.cacheEntries().filter(({ state }) => state !== "positive")).toEqual([]);
    expect(bench.engine.counters()).toMatchObject({ error: 0, noData: 0 });
    await bench.engine.close();
  });
});

describe("engine: no delay", () => {
  it("says no data at once, looks up in the background, and answers the next time", async () => {
    const bench = await startBench();
    bench.native.sa.handler = (query) => ({ ...bench.native.sa.answerPath(query), delayMs: 1000 });
    for (const _round of [1, 2, 3])
      expect(await codeOf(ask(bench, "node1", { noDelay: true }))).toBe("VERBENA_RESOLVE_NO_DATA");
    await bench.clock.advance(1000);
    expect(bench.provider.addressQuestions).toHaveLength(1);
    expect(bench.provider.addressQuestions[0]?.context.noDelay).toBe(true);
    expect((await ask(bench, "node1", { noDelay: true })).paths[0]?.dlid).toBe(101);
    expect(bench.engine.endpoints()[0]?.counters).toEqual({
      error: 0,
      resolve: 4,
      noData: 3,
      addressQuery: 1,
      addressCache: 0,
      routeQuery: 1,
      routeCache: 1,
    });
    await bench.engine.close();
  });

  it("goes on when the one that waited leaves, also for paths, and ends by itself", async () => {
    const bench = await startBench();
    bench.native.sa.handler = (query) => ({ ...bench.native.sa.answerPath(query), delayMs: 1000 });
    const request = { ...NOWHERE, dlid: Lid.from(101) };
    const controller = new AbortController();
    const waiting = codeOf(bench.engine.resolvePath({ ...request, signal: controller.signal }));
    expect(await codeOf(bench.engine.resolvePath({ ...request, noDelay: true }))).toBe("VERBENA_RESOLVE_NO_DATA");
    controller.abort();
    expect(await waiting).toBe("VERBENA_RESOLVE_ABORTED");
    await bench.clock.advance(1000);
    expect((await bench.engine.resolvePath({ ...request, noDelay: true })).paths[0]?.dlid).toBe(101);
    bench.native.sa.handler = FakeSa.silent;
    const dead = { ...NOWHERE, dlid: Lid.from(102), noDelay: true };
    expect(await codeOf(bench.engine.resolvePath(dead))).toBe("VERBENA_RESOLVE_NO_DATA");
    await bench.clock.advance(6000);
    expect(bench.engine.cacheEntries().find(({ state }) => state === "negative")).toMatchObject({ cache: "route" });
    expect(await codeOf(bench.engine.resolvePath(dead))).toBe("VERBENA_RESOLVE_NO_DATA");
    await bench.engine.close();
  });
});

describe("engine: files", () => {
  const dump = (n: number): PreloadEntry => ({
    kind: "route",
    isLocal: n === 0,
    path: emptyPathRecord({
      sgid: gid(HOST),
      dgid: gid(nodeGuid(n)),
      slid: Lid.from(2),
      dlid: Lid.from(500 + n),
      pkey: PKey.DEFAULT,
      reversible: true,
      mtu: 4 as Mtu,
      rate: 3 as Rate,
    }),
  });
  const host = (text: string, n: number): PreloadEntry => ({
    kind: "address",
    destination: text.includes(".") ? ip(text) : named(text),
    gid: gid(nodeGuid(n)),
  });

  function preload(entries: () => readonly PreloadEntry[]) {
    return {
      async *entries() {
        await Promise.resolve();
        yield* entries();
      },
    };
  }

  it("answer before anybody is asked, by name, IP, GID and LID", async () => {
    const bench = await startBench({ preload: preload(() => [dump(7), host("filehost", 7), host("10.1.1.1", 7)]) });
    const answers = [
      await ask(bench, "FileHost"),
      await ask(bench, "x", { destination: ip("10.1.1.1") }),
      await ask(bench, "x", { destination: toGid(gid(nodeGuid(7))) }),
      await ask(bench, "x", { destination: toLid(507) }),
      await bench.engine.resolvePath({ ...NOWHERE, dlid: Lid.from(507) }),
      await bench.engine.resolvePath({ ...NOWHERE, dgid: gid(nodeGuid(7)) }),
    ];
    for (const answer of answers) {
      expect(answer.paths[0]?.dlid).toBe(507);
      expect(answer.provenance.route).toEqual({ provider: "file", from: "file" });
    }
    expect(bench.native.sa.queries).toHaveLength(0);
    expect(bench.engine.endpoints()[0]?.counters).toMatchObject({ routeCache: 6, resolve: 6, addressQuery: 0 });
    await bench.engine.close();
  });

  it("give an address only; the route is asked for", async () => {
    const bench = await startBench({ preload: preload(() => [host("filehost", 9)]) });
    const answer = await bench.clock.run(ask(bench, "filehost"));
    expect(answer.paths[0]?.dlid).toBe(109);
    expect(answer.provenance).toEqual({
      address: { provider: "file", from: "file" },
      route: { provider: "fake", from: "provider" },
    });
    expect(bench.engine.endpoints()[0]?.counters).toMatchObject({ addressCache: 1, routeQuery: 1, routeCache: 0 });
    await bench.engine.close();
  });

  it("do not answer special wishes, expire like other entries, and are read again on flush", async () => {
    let entries = [dump(7), host("filehost", 7)];
    const bench = await startBench({ addressTtlMs: MINUTE, preload: preload(() => entries) });
    await bench.clock.run(bench.engine.resolvePath({ ...NOWHERE, dlid: Lid.from(107), dgid: gid(nodeGuid(7)), sl: 1 }));
    expect(bench.native.sa.queries).toHaveLength(1);
    expect((await ask(bench, "filehost")).expiresInMs).toBe(MINUTE);
    await bench.clock.advance(MINUTE);
    expect(await bench.clock.run(codeOf(ask(bench, "filehost")))).toBe("VERBENA_RESOLVE_NO_DATA");
    entries = [dump(8), host("filehost", 8)];
    bench.engine.flush(named("filehost"));
    await bench.clock.settle();
    expect((await ask(bench, "filehost")).paths[0]?.dlid).toBe(508);
    await bench.engine.close();
  });

  it("have paths that stay, where nobody says how long paths are kept", async () => {
    const bench = await startBench({ preload: preload(() => [dump(7), host("filehost", 7)]) });
    await bench.clock.advance(20 * MINUTE);
    expect((await ask(bench, "filehost")).provenance.route).toEqual({ provider: "file", from: "file" });
    await bench.engine.close();
    const bounded = await startBench({ routeTtlMs: MINUTE, preload: preload(() => [dump(7)]) });
    const toFile = (): ReturnType<typeof ask> => ask(bounded, "x", { destination: toGid(gid(nodeGuid(7))) });
    expect((await toFile()).expiresInMs).toBe(MINUTE);
    await bounded.clock.advance(MINUTE);
    expect((await bounded.clock.run(toFile())).provenance.route).toEqual({ provider: "fake", from: "provider" });
    await bounded.engine.close();
  });

  it("are listed, used or not", async () => {
    const bench = await startBench({ preload: preload(() => [dump(7), host("filehost", 7)]) });
    const listed = () =>
      bench.engine.cacheEntries().map(({ cache, destination, from }) => `${cache} ${destination} ${from}`);
    expect(listed()).toEqual([
      "address 192.0.2.1 local",
      "address Host1 local",
      "address filehost file",
      `route ${Gid.format(gid(nodeGuid(7)))} (LID 507) file`,
    ]);
    await ask(bench, "filehost");
    expect(listed()).toContain("address filehost file");
    await bench.engine.close();
  });
});

describe("engine: what providers overhear", () => {
  it("goes into the caches of that endpoint, unless the world has changed since", async () => {
    const bench = await startBench();
    let learn: (entry: LearnedEntry) => void = () => undefined;
    const answer = bench.provider.address;
    bench.provider.address = (to, context, services) => {
      learn = context.learn;
      return answer?.(to, context, services) ?? Promise.resolve(undefined);
    };
    await bench.clock.run(ask(bench, "node1"));
    learn({ kind: "address", destination: named("heard"), answer: { gid: gid(nodeGuid(3)) } });
    learn({ kind: "address", destination: named("wrong"), answer: {} });
    const heard = await bench.clock.run(ask(bench, "heard"));
    expect(heard.paths[0]?.dlid).toBe(103);
    expect(heard.provenance.address).toEqual({ provider: "fake", from: "cache" });
    expect(await bench.clock.run(codeOf(ask(bench, "wrong")))).toBe("VERBENA_RESOLVE_NO_DATA");
    bench.native.changeSm("sim0", 1, Lid.from(44));
    await bench.clock.settle();
    learn({ kind: "address", destination: named("late"), answer: { gid: gid(nodeGuid(3)) } });
    expect(await bench.clock.run(codeOf(ask(bench, "late")))).toBe("VERBENA_RESOLVE_NO_DATA");
    await bench.engine.close();
  });
});

describe("engine: what providers overhear outside of any question", () => {
  const heard = (name: string) =>
    ({ kind: "address", destination: Destination.name(name), answer: { gid: gid(nodeGuid(3)) } }) as const;

  it("makes paths doubtful: what leads to those GIDs is asked for again, the rest stays", async () => {
    const bench = await startBench({ notices: false });
    const { services } = bench.provider.endpoints[0]!;
    const lids = async () =>
      [await bench.clock.run(ask(bench, "node3")), await bench.clock.run(ask(bench, "node4"))].map(
        ({ provenance }) => provenance.route.from,
      );
    await lids();
    expect(await lids()).toEqual(["cache", "cache"]);
    services.doubt([gid(nodeGuid(3))], "it speaks from another LID");
    expect(await lids()).toEqual(["provider", "cache"]);
    await bench.engine.close();
    services.doubt([gid(nodeGuid(3))], "too late");
  });

  it("is used at once, in every generation of the port, and never after the session was closed", async () => {
    const bench = await startBench({ notices: false });
    const { services } = bench.provider.endpoints[0]!;
    services.learn(heard("Announced"));
    const answer = await bench.clock.run(ask(bench, "announced"));
    expect(answer.paths[0]?.dlid).toBe(103);
    expect(answer.provenance.address).toEqual({ provider: "fake", from: "cache" });
    expect(bench.provider.addressQuestions).toHaveLength(0);

    // The same session lives on under the next SM; what it hears from then on counts, what it taught before is in doubt.
    bench.native.changeSm("sim0", 1, Lid.from(44));
    await bench.clock.settle();
    const provenanceOf = async () => (await bench.clock.run(ask(bench, "announced"))).provenance.address;
    expect(await provenanceOf()).toEqual({ provider: "fake", from: "cache", isUnconfirmed: true });
    services.learn(heard("announced"));
    expect(await provenanceOf()).toEqual({ provider: "fake", from: "cache" });

    bench.native.linkDown("sim0", 1);
    await bench.clock.settle();
    services.learn(heard("late"));
    bench.native.linkUp("sim0", 1);
    await bench.clock.settle();
    expect(await bench.clock.run(codeOf(ask(bench, "late")))).toBe("VERBENA_RESOLVE_NO_DATA");
    await bench.engine.close();
  });
});

describe("engine: flush and listing", () => {
  it("drops one destination with its routes, or everything", async () => {
    const bench = await startBench();
    const changes = bench.engine.changes();
    await bench.clock.run(Promise.all([ask(bench, "node1"), ask(bench, "node2")]));
    expect(bench.engine.flush(named("NODE1"))).toBe(2);
    expect(await changes.next()).toEqual({
      done: false,
      value: { type: "flushed", destination: "NODE1", reason: "asked for" },
    });
    await bench.clock.run(ask(bench, "node1"));
    expect(bench.native.sa.queries).toHaveLength(3);
    expect(bench.engine.flush()).toBe(4);
    expect(bench.engine.cacheEntries().filter(({ from }) => from !== "local")).toEqual([]);
    await bench.engine.close();
  });

  it("tells the providers, who may keep something of their own", async () => {
    const bench = await startBench({ notices: false });
    bench.engine.flush(named("node1"));
    bench.engine.flush();
    await bench.clock.settle();
    const events = bench.provider.ports[0]?.events ?? [];
    expect(events).toMatchObject([{ type: "flush", destination: named("node1") }, { type: "flush" }]);
    expect(events[1]).not.toHaveProperty("destination");
    await bench.engine.close();
  });

  it("keeps nothing of what was flushed, at whatever moment of its lookup", async () => {
    const bench = await startBench();
    for (let turns = 0; turns < 30; turns += 1) {
      const name = `moving${turns}`;
      let home = 1;
      bench.provider.address = () => Promise.resolve({ gid: gid(nodeGuid(home)) });
      const first = bench.clock.run(ask(bench, name));
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      home = 2;
      bench.engine.flush(named(name));
      await first;
      expect((await bench.clock.run(ask(bench, name))).paths[0]?.dlid).toBe(102);
    }
    await bench.engine.close();
  });

  it("shows positive, negative and pending entries", async () => {
    const bench = await startBench();
    await bench.clock.run(ask(bench, "node1"));
    await bench.clock.run(codeOf(ask(bench, "ghost")));
    bench.native.sa.handler = FakeSa.silent;
    const pending = codeOf(ask(bench, "node2"));
    await bench.clock.advance(100);
    const entries = bench.engine.cacheEntries().filter(({ from }) => from !== "local");
    expect(entries.map(({ cache, destination, state }) => [cache, destination, state])).toEqual([
      ["address", "node2", "positive"],
      ["address", "node1", "positive"],
      ["address", "ghost", "negative"],
      ["route", Gid.format(gid(nodeGuid(1))), "positive"],
      ["route", Gid.format(gid(nodeGuid(2))), "pending"],
    ]);
    expect(entries[3]).toMatchObject({
      endpoint: "sim0/1/0xffff",
      provider: "fake",
      gid: gid(nodeGuid(1)),
      lid: 101,
      paths: 1,
    });
    await bench.engine.close();
    expect(await pending).toBe("VERBENA_RESOLVE_CLOSED");
  });
});
