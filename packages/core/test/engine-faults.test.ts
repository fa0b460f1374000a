import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { Lid } from "@verbena/ib";
import { FakeProvider, FakeSa } from "../src/testing/index.js";
import { ask, client, codeOf, gid, HOST, ip, named, nodeGuid, startBench } from "./support/engine-bench.js";

const findsNode4 = () => Promise.resolve({ gid: gid(nodeGuid(4)) });

/** A provider that is still joining, and then answers with `address`, comes first in the chain, before one that is ready. */
async function benchWithJoining(
  address: NonNullable<FakeProvider["address"]>,
  options: Parameters<typeof startBench>[0] = {},
) {
  const joining = new FakeProvider();
  joining.initialState = "joining";
  joining.address = address;
  const { provider } = await startBench();
  const bench = await startBench({
    providers: new Map([
      ["acm", joining],
      ["sa", provider],
    ]),
    chains: { address: ["acm", "sa"], route: ["sa"] },
    ...options,
  });
  return { bench, joining };
}

describe("engine: a slow or absent SA", () => {
  it("does not let one dead destination delay a hundred live ones", async () => {
    const bench = await startBench();
    bench.native.sa.handler = (query) =>
      query.mad.data.readUInt32BE(20) === Number(nodeGuid(0) & 0xffff_ffffn)
        ? FakeSa.silent(query)
        : { ...bench.native.sa.answerPath(query), delayMs: 5 };
    const dead = codeOf(ask(bench, "node0"));
    const live = Array.from({ length: 100 }, (_, n) => ask(bench, `node${n + 1}`).then(() => bench.clock.now()));
    const times = await bench.clock.run(Promise.all(live));
    expect(Math.max(...times)).toBeLessThan(200);
    expect(await bench.clock.run(dead)).toBe("VERBENA_RESOLVE_TIMEOUT");
    expect(bench.clock.now()).toBe(6000);
    await bench.engine.close();
  });

  it("gives right answers when the SA is busy for five seconds, and caches nothing wrong", async () => {
    const bench = await startBench();
    bench.native.sa.handler = (query) =>
      bench.clock.now() < 5000 ? FakeSa.busy(query) : bench.native.sa.answerPath(query);
    const answers = await bench.clock.run(Promise.all(Array.from({ length: 50 }, (_, n) => ask(bench, `node${n}`))));
    expect(answers.map(({ paths }) => paths[0]?.dlid)).toEqual(Array.from({ length: 50 }, (_, n) => 100 + n));
    expect(bench.clock.now()).toBeLessThan(6000);
    const routes = bench.engine.cacheEntries().filter(({ cache }) => cache === "route");
    expect(routes).toHaveLength(50);
    expect(routes.every(({ state, lid }) => state === "positive" && lid !== 0)).toBe(true);
    await bench.engine.close();
  });

  it("times out at the deadline when the SA is silent, remembers that for a moment, and recovers by itself", async () => {
    const bench = await startBench();
    bench.native.sa.handler = FakeSa.silent;
    expect(await bench.clock.run(codeOf(ask(bench, "node1")))).toBe("VERBENA_RESOLVE_TIMEOUT");
    expect(bench.clock.now()).toBe(6000);
    const { length } = bench.native.sa.queries;
    expect(await codeOf(ask(bench, "node1"))).toBe("VERBENA_RESOLVE_TIMEOUT");
    expect(bench.native.sa.queries).toHaveLength(length);
    expect(bench.engine.cacheEntries().find(({ state }) => state === "negative")).toMatchObject({
      cache: "route",
      expiresInMs: 1000,
    });
    bench.native.sa.handler = (query) => bench.native.sa.answerPath(query);
    await bench.clock.advance(1000);
    expect((await bench.clock.run(ask(bench, "node1"))).paths[0]?.dlid).toBe(101);
    await bench.engine.close();
  });

  it("fails at once while a silent SA is left alone, serves what it knows, and recovers with the first answer", async () => {
    const bench = await startBench({
      saBreakerAfter: 3,
      saBreakerPauseMs: 60_000,
      routeTtlMs: 40_000,
      negativeTtlMs: 1000,
    });
    await bench.clock.run(ask(bench, "node1"));
    bench.native.sa.handler = FakeSa.silent;
    await bench.clock.run(codeOf(ask(bench, "node2")));
    expect(bench.engine.saPorts()).toMatchObject([{ device: "sim0", port: 1, smLid: 1, breaker: "open", window: 4 }]);
    const sent = bench.native.sa.queries.length;
    const before = bench.clock.now();
    await expect(ask(bench, "node3")).rejects.toMatchObject({
      code: "VERBENA_SA_BREAKER_OPEN",
      details: { retryInMs: 45_000 },
    });
    expect(bench.clock.now()).toBe(before);
    // In the last part of its life: the refresh is refused, the entry is served to its end.
    await bench.clock.advance(40_000 - before - 1);
    const stale = await ask(bench, "node1");
    expect(stale).toMatchObject({ expiresInMs: 1, provenance: { route: { from: "cache" } } });
    await bench.clock.settle();
    expect(bench.native.sa.queries).toHaveLength(sent);
    bench.native.sa.handler = (query) => bench.native.sa.answerPath(query);
    await bench.clock.advance(60_000);
    expect((await bench.clock.run(ask(bench, "node3"))).paths[0]?.dlid).toBe(103);
    expect(bench.engine.saPorts()).toMatchObject([{ breaker: "closed", retryInMs: 0 }]);
    await bench.engine.close();
  });

  it("remembers it also when the request's clock started before the lookup's", async () => {
    const bench = await startBench();
    bench.native.sa.handler = FakeSa.silent;
    const late = codeOf(ask(bench, "node1", { deadlineMs: 5_995 }));
    expect(await bench.clock.run(late)).toBe("VERBENA_RESOLVE_TIMEOUT");
    await bench.clock.settle();
    expect(bench.engine.cacheEntries().find(({ state }) => state === "negative")).toMatchObject({ cache: "route" });
    const short = codeOf(ask(bench, "node2", { deadlineMs: 50 }));
    expect(await bench.clock.run(short)).toBe("VERBENA_RESOLVE_TIMEOUT");
    await bench.clock.settle();
    expect(bench.engine.cacheEntries().filter(({ state }) => state === "negative")).toHaveLength(1);
    await bench.engine.close();
  });

  it("reports a refused send as no data", async () => {
    const bench = await startBench();
    bench.native.umad.sendErrno = 1;
    await expect(bench.clock.run(ask(bench, "node1"))).rejects.toMatchObject({
      code: "VERBENA_RESOLVE_NO_DATA",
      cause: { code: "VERBENA_SA_SEND", errno: 1 },
    });
    await bench.engine.close();
  });
});

describe("engine: the port under the requests", () => {
  it("serves nothing stale after the port went down, and comes back by itself", async () => {
    const bench = await startBench();
    const request = { source: named("host1"), destination: named("node1"), client };
    await bench.clock.run(bench.engine.resolve(request));
    expect(bench.engine.tryResolveCached(request)).toBeDefined();
    bench.native.linkDown("sim0", 1);
    await bench.clock.settle();
    expect(bench.engine.tryResolveCached(request)).toBeUndefined();
    expect(await codeOf(bench.engine.resolve(request))).toBe("VERBENA_RESOLVE_NO_SOURCE");
    expect(bench.engine.endpoints()).toEqual([]);
    expect(bench.engine.endpointOf(ip("192.0.2.1"))).toBeUndefined();
    expect(bench.engine.cacheEntries()).toEqual([]);
    expect(bench.provider.endpoints).toEqual([]);
    expect(bench.provider.ports[0]?.isDisposed).toBe(true);

    bench.native.set("sim0", 1, { lid: Lid.from(77) });
    bench.native.sa.peers.length = 0;
    bench.native.sa.peers.push({ guid: nodeGuid(1), lid: Lid.from(1101) });
    bench.native.linkUp("sim0", 1);
    await bench.clock.settle();
    const answer = await bench.clock.run(bench.engine.resolve(request));
    expect(answer.paths[0]?.dlid).toBe(1101);
    expect(answer.generation).toBeGreaterThan(1);
    expect(bench.engine.endpoints()[0]).toMatchObject({ key: "sim0/1/0xffff", lid: 77, counters: { resolve: 3 } });
    await bench.engine.close();
  });

  it("wakes who waits when the port goes down", async () => {
    const bench = await startBench();
    bench.native.sa.handler = FakeSa.silent;
    const waiting = codeOf(ask(bench, "node1"));
    await bench.clock.advance(100);
    bench.native.linkDown("sim0", 1);
    await bench.clock.settle();
    expect(await waiting).toBe("VERBENA_RESOLVE_NO_SOURCE");
    expect(bench.clock.now()).toBe(100);
    await bench.engine.close();
  });

  it("asks again under the new LID when it changes meanwhile; the old answer is dropped", async () => {
    const bench = await startBench({ notices: false });
    bench.native.sa.handler = (query) => ({ ...bench.native.sa.answerPath(query), delayMs: 100 });
    const request = {
      dgid: gid(nodeGuid(1)),
      sgid: 0n as never,
      dlid: Lid.zero,
      slid: Lid.zero,
      pkey: 0 as never,
      client,
    };
    const waiting = bench.engine.resolvePath(request);
    await bench.clock.advance(50);
    bench.native.changeLid("sim0", 1, Lid.from(55));
    const answer = await bench.clock.run(waiting);
    expect(answer.paths[0]?.slid).toBe(55);
    expect(bench.native.sa.queries.map(({ mad }) => mad.data.readUInt16BE(42))).toEqual([2, 55]);
    expect(answer.generation).toBe(2);
    await bench.engine.close();
  });

  it("forgets what it learnt when the SM moves or asks to register again, and asks the new SM", async () => {
    const bench = await startBench({ notices: false });
    await bench.clock.run(ask(bench, "node1"));
    bench.native.changeSm("sim0", 1, Lid.from(33));
    await bench.clock.settle();
    await bench.clock.run(ask(bench, "node1"));
    expect(bench.native.sa.queries.map(({ to }) => to.lid)).toEqual([1, 33]);
    expect(bench.provider.addressQuestions).toHaveLength(2);
    bench.native.emit("sim0", { type: "client-reregister", port: 1 });
    await bench.clock.settle();
    await bench.clock.run(ask(bench, "node1"));
    expect(bench.provider.addressQuestions).toHaveLength(3);
    expect(bench.provider.ports[0]?.events.map(({ type }) => type)).toEqual(["sm-change", "client-reregister"]);
    expect(bench.provider.endpoints).toHaveLength(1);
    await bench.engine.close();
  });

  it("reports what happened, and tells a slow reader what it missed", async () => {
    const bench = await startBench();
    const controller = new AbortController();
    const changes = bench.engine.changes(controller.signal);
    bench.native.linkDown("sim0", 1);
    bench.native.linkUp("sim0", 1);
    await bench.clock.settle();
    const seen: string[] = [];
    for await (const change of changes) {
      const what = "event" in change ? change.event : "state" in change ? change.state : "";
      seen.push(`${change.type} ${what}`.trim());
      if (seen.length === 6) break;
    }
    expect(seen).toEqual([
      "flushed",
      "endpoint removed",
      "port down",
      "endpoint added",
      "port active",
      "endpoint state",
    ]);
    const slow = bench.engine.changes();
    for (let n = 0; n < 2000; n += 1) bench.engine.flush();
    expect(await slow.next()).toEqual({ done: false, value: { type: "lagged", dropped: 976 } });
    await bench.engine.close();
    expect((await bench.engine.changes().next()).done).toBe(true);
  });
});

describe("engine: providers that misbehave", () => {
  it("names the provider, asks the next one, and stalls nobody", async () => {
    const bad = new FakeProvider();
    const { provider: good } = await startBench();
    const lines: string[] = [];
    const log = (message: string): void => {
      lines.push(message);
    };
    const logger = { debug: () => undefined, info: () => undefined, warn: log, error: log, child: () => logger };
    bad.address = () => Promise.resolve({ lid: "7" } as never);
    bad.route = () => Promise.reject(new RangeError("off by one"));
    const bench = await startBench({
      logger,
      providers: new Map([
        ["bad", bad],
        ["good", good],
      ]),
      chains: { address: ["bad", "good"], route: ["bad", "good"] },
    });
    const answer = await bench.clock.run(ask(bench, "node4"));
    expect(answer.provenance).toMatchObject({ address: { provider: "good" }, route: { provider: "good" } });
    const missing = codeOf(ask(bench, "ghost"));
    expect(await bench.clock.run(missing)).toBe("VERBENA_RESOLVE_NO_DATA");
    expect(lines.filter((line) => line.includes('"bad" broke its contract'))).not.toHaveLength(0);
    await bench.engine.close();
  });

  it("takes an answer without paths for none, which is no fault", async () => {
    const empty = new FakeProvider();
    empty.route = () => Promise.resolve({ paths: [] });
    const { provider: good } = await startBench();
    const faults: string[] = [];
    const bench = await startBench({
      metrics: { increment: (name) => faults.push(name), observe: () => undefined },
      providers: new Map([
        ["empty", empty],
        ["good", good],
      ]),
      chains: { address: ["good"], route: ["empty", "good"] },
    });
    expect((await bench.clock.run(ask(bench, "node4"))).provenance.route.provider).toBe("good");
    expect(empty.routeQuestions).toHaveLength(1);
    expect(faults).not.toContain("verbena_provider_faults_total");
    await bench.engine.close();
  });

  it("asks a companion beside a silent provider after 300 ms", async () => {
    const silent = new FakeProvider();
    silent.address = () => new Promise(() => undefined);
    const { provider: good } = await startBench();
    const bench = await startBench({
      providers: new Map([
        ["acm", silent],
        ["sa", good],
      ]),
      chains: { address: ["acm", "sa"], route: ["sa"] },
    });
    const answer = await bench.clock.run(ask(bench, "node4"));
    expect(answer.provenance.address?.provider).toBe("sa");
    expect(bench.clock.now()).toBe(300);
    expect(silent.addressQuestions[0]?.context.signal.aborted).toBe(true);
    await bench.engine.close();
  });

  it("skips a provider that is not ready and uses one that is", async () => {
    const { bench, joining } = await benchWithJoining(() => Promise.reject(new Error("must not be asked")));
    expect(bench.engine.endpoints()[0]?.state).toBe("ready");
    expect((await bench.clock.run(ask(bench, "node4"))).paths[0]?.dlid).toBe(104);
    expect(joining.addressQuestions).toHaveLength(0);
    await bench.engine.close();
  });

  it("remembers no failure while a provider of the chain is still joining: it may know in a moment", async () => {
    const { bench, joining } = await benchWithJoining(findsNode4, { negativeTtlMs: 60_000 });
    expect(await bench.clock.run(codeOf(ask(bench, "stranger")))).toBe("VERBENA_RESOLVE_TIMEOUT");
    expect(bench.engine.cacheEntries().filter(({ state }) => state === "negative")).toEqual([]);
    joining.endpoints[0]?.setState("ready");
    expect((await bench.clock.run(ask(bench, "stranger"))).paths[0]?.dlid).toBe(104);
    await bench.engine.close();
  });

  it.each([
    ["ready", 104],
    ["failed", undefined],
  ] as const)("a question waits for a provider that is joining, and goes on when that is %s", async (state, dlid) => {
    const { bench, joining } = await benchWithJoining(findsNode4);
    const asked = ask(bench, "stranger").then(
      ({ paths }) => paths[0]?.dlid,
      () => undefined,
    );
    await bench.clock.advance(1_000);
    expect(joining.addressQuestions).toHaveLength(0);
    joining.endpoints[0]?.setState(state);
    expect(await bench.clock.run(asked, 1_000)).toBe(dlid);
    await bench.engine.close();
  });
});

describe("engine: straight to the SA (spec 1.9)", () => {
  const record = (lid: number): Buffer => {
    const bytes = Buffer.alloc(64);
    bytes.writeUInt16BE(lid, 40);
    bytes.writeUInt16BE(2, 42);
    bytes.writeUInt16BE(0xffff, 50);
    bytes[54] = 0x84;
    return bytes;
  };

  it("asks with one bit per non-zero field, caches nothing, and hands the status on", async () => {
    const bench = await startBench();
    const answer = await bench.clock.run(bench.engine.querySa({ record: record(107), client }));
    expect(answer.madStatus).toBe(0);
    expect(answer.record.readUInt16BE(40)).toBe(107);
    expect(bench.native.sa.queries[0]?.mad.componentMask).toBe(0x32030n);
    const refused = await bench.clock.run(bench.engine.querySa({ record: record(9999), client }));
    expect(refused).toEqual({ madStatus: 0x0300, record: record(9999) });
    expect(bench.engine.cacheEntries().filter(({ from }) => from !== "local")).toEqual([]);
    expect(bench.engine.endpoints()[0]?.counters).toMatchObject({ resolve: 0, error: 1, routeQuery: 0 });
    expect(bench.engine.counters()).toMatchObject({ resolve: 2, error: 0 });
    await bench.engine.close();
  });

  it("goes out by the port as it is once it is open, though it was opened anew while the question waited", async () => {
    const bench = await startBench();
    bench.native.linkDown("sim0", 1);
    await bench.clock.settle();
    let open: () => void = () => undefined;
    bench.provider.endpointGate = new Promise((resolve) => {
      open = resolve;
    });
    bench.native.linkUp("sim0", 1);
    await bench.clock.settle();
    const answer = bench.engine.querySa({ record: record(107), client });
    await bench.clock.settle();
    bench.native.emit("sim0", { type: "port-err", port: 1 });
    await bench.clock.settle();
    open();
    expect((await bench.clock.run(answer)).record.readUInt16BE(40)).toBe(107);
    await bench.engine.close();
  });

  it("has codes for no endpoint, no answer and a closed engine", async () => {
    const bench = await startBench();
    const foreign = Buffer.alloc(64, 0x11);
    expect(await codeOf(bench.engine.querySa({ record: foreign, client }))).toBe("VERBENA_RESOLVE_NO_SOURCE");
    bench.native.sa.handler = FakeSa.silent;
    const silent = codeOf(bench.engine.querySa({ record: record(107), client }));
    expect(await bench.clock.run(silent)).toBe("VERBENA_RESOLVE_TIMEOUT");
    await bench.engine.close();
    expect(await codeOf(bench.engine.querySa({ record: record(107), client }))).toBe("VERBENA_RESOLVE_CLOSED");
  });
});

describe("engine: counters (spec 1.10)", () => {
  it("counts what ibacm counts", async () => {
    const bench = await startBench();
    await bench.clock.run(ask(bench, "node1")); // address and route asked for
    await ask(bench, "node1"); // wholly from the cache
    bench.engine.flush({ kind: "gid", gid: gid(nodeGuid(1)), text: "" }); // the route goes, the address stays
    await bench.clock.run(ask(bench, "node1")); // address known, route asked for
    await bench.clock.run(codeOf(ask(bench, "ghost"))); // no data
    await codeOf(bench.engine.resolve({ source: named("nobody"), destination: named("node1"), client })); // no endpoint
    expect(bench.engine.endpoints()[0]?.counters).toEqual({
      error: 0,
      resolve: 4,
      noData: 1,
      addressQuery: 2,
      addressCache: 1,
      routeQuery: 2,
      routeCache: 1,
    });
    expect(bench.engine.counters()).toEqual({
      error: 1,
      resolve: 5,
      noData: 1,
      addressQuery: 2,
      addressCache: 1,
      routeQuery: 2,
      routeCache: 1,
    });
    bench.provider.counters = { addressQuery: 7n, packets: 3 };
    expect(bench.engine.counters()).toMatchObject({ addressQuery: 7, routeQuery: 2 });
    await bench.engine.close();
  });
});

describe("engine: diagnostics channel", () => {
  it("gets one message per request that was looked up", async () => {
    const bench = await startBench();
    const seen: unknown[] = [];
    const listen = (message: unknown): void => {
      seen.push(message);
    };
    subscribe("verbena:engine:request", listen);
    const { requestId } = await bench.clock.run(ask(bench, "node1"));
    await bench.clock.run(codeOf(ask(bench, "ghost")));
    unsubscribe("verbena:engine:request", listen);
    expect(seen).toEqual([
      { requestId, destination: "node1", endpoint: "sim0/1/0xffff", durationMs: 0 },
      expect.objectContaining({ destination: "ghost", code: "VERBENA_RESOLVE_NO_DATA" }),
    ]);
    await bench.engine.close();
  });
});

describe("engine: closing", () => {
  it("settles everything, closes endpoints before ports, leaves no timer, and refuses afterwards", async () => {
    const bench = await startBench();
    bench.native.sa.handler = FakeSa.silent;
    const open = [codeOf(ask(bench, "node1")), codeOf(ask(bench, "node2"))];
    await bench.clock.advance(10);
    await Promise.all([bench.engine.close(), bench.engine.close()]);
    expect(await Promise.all(open)).toEqual(["VERBENA_RESOLVE_CLOSED", "VERBENA_RESOLVE_CLOSED"]);
    expect(await codeOf(ask(bench, "node1"))).toBe("VERBENA_RESOLVE_CLOSED");
    expect(bench.provider.ports.every(({ isDisposed }) => isDisposed)).toBe(true);
    expect(bench.native.umad.agents.size).toBe(0);
    expect(bench.native.verbs.contexts.get("sim0")?.closed).toBe(true);
    expect(bench.clock.pending).toBe(0);
    expect(HOST).toBe(0x100001n);
  });
});
