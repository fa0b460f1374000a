import { emptyPathRecord, Lid } from "@verbena/ib";
import type { Explanation } from "../src/engine/contract.js";
import { FakeProvider, FakeSa } from "../src/testing/index.js";
import { type Bench, client, ip, named, startBench, toLid } from "./support/engine-bench.js";

const explain = (bench: Bench, destination = named("node1"), source: object = { source: named("host1") }) =>
  bench.clock.run<Explanation>(bench.engine.explain({ destination, client, ...source }));

describe("engine: explain", () => {
  it("tells the choice of the endpoint, each provider and each query to the SA, with their times", async () => {
    const bench = await startBench({ addressTtlMs: 60_000 });
    const { address } = bench.provider;
    bench.provider.address = (to, context, services) =>
      new Promise((resolve) => {
        bench.clock.schedule(7, () => {
          resolve(address?.(to, context, services));
        });
      });
    bench.native.sa.handler = (query) =>
      bench.native.sa.queries.length === 1 ? FakeSa.busy(query) : { ...bench.native.sa.answerPath(query), delayMs: 5 };
    const { steps, answer, tookMs } = await explain(bench);
    // BUSY at once, a pause of 37.5 ms, an answer after 5 ms.
    expect(steps).toMatchObject([
      { step: "endpoint", tookMs: 0, state: "ready", endpoint: { key: "sim0/1/0xffff" } },
      {
        step: "address",
        about: "node1",
        cache: "miss",
        tookMs: 7,
        providers: [{ provider: "fake", outcome: "answered", tookMs: 7 }],
        sa: [],
        provider: "fake",
        ageMs: 0,
        expiresInMs: 60_000,
      },
      {
        step: "route",
        about: "fe80::20:1",
        cache: "miss",
        tookMs: 42.5,
        providers: [{ provider: "fake", outcome: "answered", tookMs: 42.5 }],
        sa: [
          { method: "get", attributeId: 0x35, outcome: "busy", tookMs: 0 },
          { method: "get", attributeId: 0x35, outcome: "answered", status: 0, tookMs: 5 },
        ],
        expiresInMs: 59_957.5,
      },
    ]);
    expect([answer?.paths[0]?.dlid, tookMs]).toEqual([101, 49.5]);

    const again = await explain(bench);
    expect(again.steps).toMatchObject([
      { step: "endpoint" },
      { step: "address", cache: "hit", providers: [], sa: [], ageMs: 42.5 },
      { step: "route", cache: "hit", providers: [], sa: [], ageMs: 0 },
    ]);
    await bench.clock.advance(59_000);
    expect((await explain(bench)).steps).toMatchObject([{ step: "endpoint" }, { cache: "due" }, { cache: "due" }]);
    await bench.engine.close();
  });

  it("tells a failure, and that it is remembered", async () => {
    const bench = await startBench({ negativeTtlMs: 1000 });
    const first = await explain(bench, named("nobody"));
    expect(first.steps[1]).toMatchObject({
      step: "address",
      cache: "miss",
      providers: [{ provider: "fake", outcome: "unknown" }],
      code: "VERBENA_RESOLVE_NO_DATA",
    });
    expect(first.error).toMatchObject({ code: "VERBENA_RESOLVE_NO_DATA" });
    await bench.clock.advance(400);
    expect((await explain(bench, named("nobody"))).steps[1]).toMatchObject({
      cache: "negative",
      providers: [],
      provider: "fake",
      ageMs: 400,
      expiresInMs: 600,
    });
    await bench.engine.close();
  });

  it("tells a chain: who did not know, who broke its contract, who was overtaken", async () => {
    const silent = new FakeProvider();
    silent.address = () => new Promise(() => undefined);
    const broken = new FakeProvider();
    broken.address = () => Promise.reject(new Error("out of cheese"));
    const good = new FakeProvider();
    good.address = () => Promise.resolve({ lid: Lid.from(101) });
    good.route = (query) =>
      Promise.resolve({ paths: [emptyPathRecord(query.dlid === undefined ? {} : { dlid: query.dlid })] });
    const bench = await startBench({
      providers: new Map([
        ["silent", silent],
        ["broken", broken],
        ["good", good],
      ]),
      chains: { address: ["silent", "broken", "good"], route: ["good"], companionDelayMs: 300 },
    });
    const { steps } = await explain(bench);
    expect(steps[1]).toMatchObject({
      tookMs: 300,
      providers: [
        { provider: "broken", outcome: "fault", tookMs: 0, detail: expect.stringContaining("out of cheese") as string },
        { provider: "good", outcome: "answered", tookMs: 0 },
        { provider: "silent", outcome: "overtaken", tookMs: 300 },
      ],
    });
    await bench.engine.close();
  });

  it("tells own addresses, chosen sources, missing sources, and lookups that others have begun", async () => {
    const bench = await startBench();
    expect((await explain(bench, named("host1"))).steps[1]).toEqual({ step: "own", about: "host1" });
    expect((await explain(bench, ip("10.0.0.1"), {})).steps[0]).toMatchObject({ chosenSource: "192.0.2.1" });
    expect((await explain(bench, named("node1"), { source: named("elsewhere") })).steps).toEqual([
      { step: "endpoint", tookMs: 0, code: "VERBENA_RESOLVE_NO_SOURCE" },
    ]);
    const begun = bench.engine.resolve({ source: named("host1"), destination: toLid(105), client });
    const joined = await explain(bench, toLid(105));
    expect(joined.steps).toMatchObject([
      { step: "endpoint" },
      { step: "route", cache: "joined", providers: [], sa: [] },
    ]);
    await begun;
    await bench.engine.close();
  });
});
