import { emptyPathRecord, Gid, Lid, PKey, VerbenaError } from "@verbena/ib";
import { ask, type Bench, client, gid, HOST, named, nodeGuid, startBench } from "./support/engine-bench.js";

const MINUTE = 60_000;
const NEVER = Number.POSITIVE_INFINITY;
/** Within the last tenth of a life of ten minutes. */
const LATE = 9.5 * MINUTE;

const asked = ({ provider }: Bench): number[] => [provider.addressQuestions.length, provider.routeQuestions.length];
const expiry = async (bench: Bench): Promise<number | undefined> =>
  (await bench.clock.run(ask(bench, "node1"))).expiresInMs;

describe("engine: refresh before expiry", () => {
  it("leaves an entry alone before its last part, serves and refreshes it once in it", async () => {
    const bench = await startBench({ addressTtlMs: 10 * MINUTE, addressRefreshMs: NEVER, routeRefreshMs: NEVER });
    await bench.clock.run(ask(bench, "node1"));
    await bench.clock.advance(9 * MINUTE - 1);
    expect(await expiry(bench)).toBe(MINUTE + 1);
    await bench.clock.settle();
    expect(asked(bench)).toEqual([1, 1]);

    await bench.clock.advance(1);
    const before = bench.clock.now();
    const answers = await bench.clock.run(Promise.all(Array.from({ length: 100 }, () => ask(bench, "node1"))));
    expect(bench.clock.now()).toBe(before);
    expect(new Set(answers.map(({ expiresInMs }) => expiresInMs))).toEqual(new Set([MINUTE]));
    expect(answers[0]?.provenance).toMatchObject({ address: { from: "cache" }, route: { from: "cache" } });
    await bench.clock.settle();
    expect(asked(bench)).toEqual([2, 1]);
    // The route ended with the old address; now that there is a new one it has its own refresh.
    await bench.clock.run(ask(bench, "node1"));
    await bench.clock.advance(1);
    expect(asked(bench)).toEqual([2, 2]);
    expect(await expiry(bench)).toBe(10 * MINUTE - 1);
    expect(asked(bench)).toEqual([2, 2]);
    await bench.engine.close();
  });

  it("does not answer at once what is due, so that the refresh is started", async () => {
    const bench = await startBench({ addressTtlMs: 10 * MINUTE, addressRefreshMs: NEVER, routeRefreshMs: NEVER });
    const request = { source: named("host1"), destination: named("node1"), client };
    await bench.clock.run(ask(bench, "node1"));
    expect(bench.engine.tryResolveCached(request)).toBeDefined();
    await bench.clock.advance(LATE);
    expect(bench.engine.tryResolveCached(request)).toBeUndefined();
    await bench.engine.close();
  });

  it("keeps the old entry to its end when the refresh fails, and remembers no failure", async () => {
    const bench = await startBench({
      addressTtlMs: 10 * MINUTE,
      addressRefreshMs: NEVER,
      routeRefreshMs: NEVER,
      negativeTtlMs: MINUTE,
    });
    const { address } = bench.provider;
    await bench.clock.run(ask(bench, "node1"));
    await bench.clock.advance(9 * MINUTE);
    bench.provider.address = () => Promise.reject(new VerbenaError("VERBENA_SA_TIMEOUT", "silent"));
    expect(await expiry(bench)).toBe(MINUTE);
    await bench.clock.settle();
    expect(asked(bench)[0]).toBe(2);
    // Half of what is left passes before the next try.
    await bench.clock.advance(MINUTE / 2 - 1);
    expect(await expiry(bench)).toBe(MINUTE / 2 + 1);
    await bench.clock.settle();
    expect(asked(bench)[0]).toBe(2);
    await bench.clock.advance(1);
    expect(await expiry(bench)).toBe(MINUTE / 2);
    await bench.clock.settle();
    expect(asked(bench)[0]).toBe(3);
    expect(bench.engine.cacheEntries().filter(({ state }) => state === "negative")).toEqual([]);
    await bench.clock.advance(MINUTE / 2);
    await expect(bench.clock.run(ask(bench, "node1"))).rejects.toMatchObject({ code: "VERBENA_RESOLVE_TIMEOUT" });
    bench.provider.address = address;
    await bench.engine.close();
  });

  it("lets a request that finds the entry expired wait for the refresh under way", async () => {
    const bench = await startBench({ addressTtlMs: 10_000 });
    await bench.clock.run(ask(bench, "node1"));
    await bench.clock.advance(9_500);
    bench.provider.address = () =>
      new Promise((resolve) => {
        bench.clock.schedule(2_000, () => {
          resolve({ gid: gid(nodeGuid(7)) });
        });
      });
    expect(await expiry(bench)).toBe(500);
    await bench.clock.advance(500);
    const answer = await bench.clock.run(ask(bench, "node1"));
    expect(answer.paths[0]?.dlid).toBe(107);
    expect(asked(bench)[0]).toBe(2);
    await bench.engine.close();
  });

  it("follows a destination that has moved", async () => {
    const bench = await startBench({ addressTtlMs: 10 * MINUTE, addressRefreshMs: NEVER, routeRefreshMs: NEVER });
    await bench.clock.run(ask(bench, "node1"));
    await bench.clock.advance(LATE);
    bench.provider.address = () => Promise.resolve({ gid: gid(nodeGuid(8)) });
    expect((await bench.clock.run(ask(bench, "node1"))).paths[0]?.dlid).toBe(101);
    await bench.clock.settle();
    expect((await bench.clock.run(ask(bench, "node1"))).paths[0]?.dlid).toBe(108);
    await bench.engine.close();
  });

  it("drops a refresh of a former generation", async () => {
    const bench = await startBench({ addressTtlMs: 10 * MINUTE, addressRefreshMs: NEVER, routeRefreshMs: NEVER });
    await bench.clock.run(ask(bench, "node1"));
    await bench.clock.advance(LATE);
    const { address } = bench.provider;
    let answer: () => void = () => undefined;
    bench.provider.address = () =>
      new Promise((resolve) => {
        answer = () => {
          resolve({ gid: gid(nodeGuid(66)) });
        };
      });
    await bench.clock.run(ask(bench, "node1"));
    bench.native.set("sim0", 1, { lid: Lid.from(12) });
    await bench.clock.advance(1);
    bench.engine.rescan();
    await bench.clock.advance(1_000);
    answer();
    await bench.clock.settle();
    expect(bench.engine.cacheEntries().filter(({ destination }) => destination === "node1")).toEqual([]);
    bench.provider.address = address;
    expect((await bench.clock.run(ask(bench, "node1"))).paths[0]?.dlid).toBe(101);
    await bench.engine.close();
  });

  it("drops a refresh of what has been flushed", async () => {
    const bench = await startBench({ addressTtlMs: 10 * MINUTE, addressRefreshMs: NEVER, routeRefreshMs: NEVER });
    await bench.clock.run(ask(bench, "node1"));
    await bench.clock.advance(LATE);
    await bench.clock.run(ask(bench, "node1"));
    bench.engine.flush(named("node1"));
    await bench.clock.settle();
    expect(bench.engine.cacheEntries().filter(({ destination }) => destination === "node1")).toEqual([]);
    await bench.engine.close();
  });

  it("refreshes paths asked for by LID, and nothing where it is switched off", async () => {
    for (const [refreshShare, queries] of [
      [0.1, 2],
      [0, 1],
    ] as const) {
      const bench = await startBench({
        routeTtlMs: 10 * MINUTE,
        addressRefreshMs: NEVER,
        routeRefreshMs: NEVER,
        refreshShare,
      });
      const request = {
        dgid: Gid.zero,
        sgid: Gid.zero,
        dlid: Lid.from(101),
        slid: Lid.zero,
        pkey: PKey.zero,
        client,
      };
      await bench.clock.run(bench.engine.resolvePath(request));
      await bench.clock.advance(LATE);
      const answer = await bench.clock.run(bench.engine.resolvePath(request));
      expect(answer.expiresInMs).toBe(MINUTE / 2);
      await bench.clock.settle();
      expect(bench.provider.routeQuestions).toHaveLength(queries);
      await bench.engine.close();
    }
  });

  it("gives negative entries their own time", async () => {
    const bench = await startBench({ negativeTtlMs: 1_000 });
    await expect(bench.clock.run(ask(bench, "nobody"))).rejects.toMatchObject({ code: "VERBENA_RESOLVE_NO_DATA" });
    await bench.clock.advance(999);
    await expect(bench.clock.run(ask(bench, "nobody"))).rejects.toMatchObject({ code: "VERBENA_RESOLVE_NO_DATA" });
    expect(asked(bench)[0]).toBe(1);
    await bench.engine.close();
  });
});

describe("engine: an address of a certain age", () => {
  it("is served once more and looked up again: a move that nobody announces is known then", async () => {
    const bench = await startBench({ addressRefreshMs: 5 * MINUTE });
    const gidNow = async () => (await bench.clock.run(ask(bench, "node1"))).paths[0]?.dgid;
    expect(await gidNow()).toBe(gid(nodeGuid(1)));
    bench.provider.address = () => Promise.resolve({ gid: gid(nodeGuid(2)) });
    await bench.clock.advance(5 * MINUTE - 1);
    expect(await gidNow()).toBe(gid(nodeGuid(1)));
    await bench.clock.advance(1);
    expect([await gidNow(), await gidNow()]).toEqual([gid(nodeGuid(1)), gid(nodeGuid(2))]);
    await bench.engine.close();
  });
});

describe("engine: an address of a certain age whose path has run out", () => {
  it("is the new owner's at once, where that is known before there is a path to the old one", async () => {
    const bench = await startBench({ addressRefreshMs: 5 * MINUTE, routeTtlMs: MINUTE });
    await bench.clock.run(ask(bench, "node1"));
    bench.provider.address = () => Promise.resolve({ gid: gid(nodeGuid(2)) });
    await bench.clock.advance(5 * MINUTE);
    expect((await bench.clock.run(ask(bench, "node1"))).paths[0]?.dgid).toBe(gid(nodeGuid(2)));
    expect(asked(bench)[0]).toBe(2);
    await bench.engine.close();
  });
});

describe("engine: a path of a certain age", () => {
  /** A path that is asked for at this age, and where it leads then. */
  async function setUp(options: Parameters<typeof startBench>[0] = {}) {
    const bench = await startBench({ routeRefreshMs: MINUTE, ...options });
    const move = (lid: number): void => {
      const at = bench.native.sa.peers.findIndex(({ guid }) => guid === nodeGuid(1));
      bench.native.sa.peers.splice(at, 1, { guid: nodeGuid(1), lid: Lid.from(lid) });
    };
    const dlid = async (): Promise<number | undefined> => {
      const { paths } = await bench.clock.run(ask(bench, "node1"));
      await bench.clock.advance(1);
      return paths[0]?.dlid;
    };
    await dlid();
    return { bench, move, dlid };
  }

  it.each([
    ["ends after ten minutes", {}],
    ["ends with its address", { addressTtlMs: 5 * MINUTE, routeTtlMs: 10 * MINUTE }],
    ["never ends", { addressTtlMs: NEVER, routeTtlMs: NEVER }],
    ["is not refreshed before its end", { refreshShare: 0 }],
  ])(
    "is served once more and looked up again, though it %s: a LID that nobody announces is known then",
    async (_what, options) => {
      const { bench, move, dlid } = await setUp(options);
      move(201);
      await bench.clock.advance(MINUTE - 2);
      expect(await dlid()).toBe(101);
      expect([await dlid(), await dlid()]).toEqual([101, 201]);
      move(202);
      await bench.clock.advance(MINUTE);
      expect([await dlid(), await dlid()]).toEqual([201, 202]);
      expect(bench.provider.addressQuestions).toHaveLength(1);
      await bench.engine.close();
    },
  );

  it("is served on while the SA is silent, which is asked again at the same distance", async () => {
    const { bench, dlid } = await setUp();
    bench.provider.route = () => Promise.reject(new VerbenaError("VERBENA_SA_TIMEOUT", "silent"));
    for (let minute = 1; minute < 5; minute += 1) {
      await bench.clock.advance(MINUTE);
      expect(await dlid()).toBe(101);
      expect(asked(bench)).toEqual([1, 1 + minute]);
    }
    await bench.engine.close();
  });

  it("is left alone when it came from a file", async () => {
    const path = emptyPathRecord({ sgid: gid(HOST), dgid: gid(nodeGuid(1)), dlid: Lid.from(301), pkey: PKey.DEFAULT });
    async function* entries() {
      yield await Promise.resolve({ kind: "route", path, isLocal: false } as const);
    }
    const { bench, dlid } = await setUp({ preload: { entries } });
    expect(await dlid()).toBe(301);
    await bench.clock.advance(MINUTE);
    expect(await dlid()).toBe(301);
    expect(asked(bench)[1]).toBe(0);
    await bench.engine.close();
  });
});
