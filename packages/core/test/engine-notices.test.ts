import { decodeSaMad, encodeSaMad, Gid, Lid, MadStatus, type Notice, PKey, TrapNumber } from "@verbena/ib";
import type { EngineChange } from "../src/engine/contract.js";
import { BATCH_LIMIT } from "../src/notices/notice-batches.js";
import { type FakeNative, FakeSa, type FakeSaAction, type FakeSaQuery } from "../src/testing/index.js";
import { ask, type Bench, codeOf, gid, HOST, named, nodeGuid, routeBySa, startBench } from "./support/engine-bench.js";
import { gidIn, gidOut, notice } from "./support/notices.js";

async function report({ native, clock }: Pick<Bench, "native" | "clock">, ...notices: Notice[]): Promise<void> {
  for (const one of notices) native.umad.report("sim0", 1, one);
  await clock.settle();
  await clock.advance(100);
}

/** Answers of this host to reports. */
const acknowledged = (native: FakeNative): number =>
  [...native.umad.agents].flatMap(({ answers }) => answers).filter((mad) => decodeSaMad(mad).method === 0x86).length;

const movePeer = ({ native }: Pick<Bench, "native">, n: number, lid: number): void => {
  native.sa.peers.splice(n, 1, { guid: nodeGuid(n), lid: Lid.from(lid) });
};

const dlid = async (bench: Bench, to: string): Promise<number | undefined> =>
  (await bench.clock.run(ask(bench, to))).paths[0]?.dlid;

describe("engine: notices of the SA", () => {
  it("subscribes each port to 64, 65 and 144, and ends that on close", async () => {
    const bench = await startBench();
    await bench.clock.advance(1);
    expect(bench.native.sa.subscriptions).toEqual([64, 65, 144]);
    expect(bench.engine.saPorts()).toMatchObject([{ port: 1, notices: "subscribed" }]);
    await bench.engine.close();
    expect(bench.native.sa.subscriptions).toEqual([]);
    expect(bench.native.umad.agents.size).toBe(0);
    expect(bench.clock.pending).toBe(0);
  });

  it.each([
    ["client-reregister", ({ native }: Bench) => native.emit("sim0", { type: "client-reregister", port: 1 })],
    ["a new SM", ({ native }: Bench) => native.changeSm("sim0", 1, Lid.from(7))],
    ["a new LID", ({ native }: Bench) => native.changeLid("sim0", 1, Lid.from(9))],
    [
      "a link that comes back",
      ({ native }: Bench) => {
        native.linkDown("sim0", 1);
        native.sa.subscriptions.length = 0;
        native.linkUp("sim0", 1);
      },
    ],
  ])("subscribes again after %s", async (_what, happen) => {
    const bench = await startBench();
    await bench.clock.advance(1);
    bench.native.sa.subscriptions.length = 0;
    happen(bench);
    await bench.clock.advance(10);
    expect(bench.native.sa.subscriptions).toEqual([64, 65, 144]);
    expect(bench.engine.saPorts()).toMatchObject([{ notices: "subscribed" }]);
    await bench.engine.close();
  });

  it("drops every path to a GID that went out of service, and no other", async () => {
    const bench = await startBench();
    const seen: EngineChange[] = [];
    const watched = (async () => {
      for await (const change of bench.engine.changes()) if (change.type !== "endpoint") seen.push(change);
    })();
    expect([await dlid(bench, "node1"), await dlid(bench, "node2")]).toEqual([101, 102]);
    movePeer(bench, 1, 901);
    await report(bench, gidOut(1));
    expect(acknowledged(bench.native)).toBe(1);
    const asked = bench.native.sa.queries.length;
    expect([await dlid(bench, "node1"), await dlid(bench, "node2")]).toEqual([901, 102]);
    expect(bench.native.sa.queries).toHaveLength(asked + 1);
    await bench.engine.close();
    await watched;
    const text = `GID ${Gid.format(gid(nodeGuid(1)))} went out of service`;
    expect(seen.slice(0, 2)).toEqual([
      { type: "notice", device: "sim0", port: 1, event: "gid-out", gid: Gid.format(gid(nodeGuid(1))), text },
      { type: "flushed", endpoint: "sim0/1/0xffff", reason: text },
    ]);
  });

  it("asks again for a GID that came into service: it may have another LID, and a failure is no longer true", async () => {
    const bench = await startBench({ negativeTtlMs: 60_000 });
    expect(await dlid(bench, "node1")).toBe(101);
    const [absent] = bench.native.sa.peers.splice(5, 1);
    expect(await bench.clock.run(codeOf(ask(bench, "node5")))).toBe("VERBENA_RESOLVE_NO_DATA");
    if (absent !== undefined) bench.native.sa.peers.splice(5, 0, absent);
    movePeer(bench, 1, 901);
    await report(bench, gidIn(1), gidIn(5));
    expect([await dlid(bench, "node1"), await dlid(bench, "node5")]).toEqual([901, 105]);
    await bench.engine.close();
  });

  it("forgets the port at a LID that has changed", async () => {
    const bench = await startBench();
    await dlid(bench, "node1");
    await dlid(bench, "node2");
    await report(bench, notice(TrapNumber.LOCAL_CHANGES, { lid: 101, gid: gid(nodeGuid(1)) }));
    const cached = bench.engine.cacheEntries().map(({ destination }) => destination);
    expect(cached).toContain("node2");
    expect(cached).not.toContain("node1");
    await bench.engine.close();
  });

  it("drops an answer that was on its way when its destination was reported", async () => {
    const bench = await startBench();
    const answers: (() => unknown)[] = [];
    bench.native.sa.handler = (query) => {
      // What the SA knows at this moment travels for 100 ms.
      const answer = { ...bench.native.sa.answerPath(query), delayMs: 100 };
      answers.push(() => answer);
      return answer;
    };
    const waiting = ask(bench, "node1");
    await bench.clock.advance(50);
    movePeer(bench, 1, 901);
    bench.native.umad.report("sim0", 1, gidIn(1));
    expect((await bench.clock.run(waiting)).paths[0]?.dlid).toBe(901);
    expect(answers).toHaveLength(2);
    await bench.engine.close();
  });

  it.each([
    ["its destination was reported", ({ native }: Bench) => native.umad.report("sim0", 1, gidOut(1))],
    ["it was flushed", ({ engine }: Bench) => engine.flush(named("node1"))],
  ])("does not learn a route that a provider had asked for before %s", async (_what, happen) => {
    const bench = await startBench();
    const { address } = bench.provider;
    bench.provider.address = async (_to, context, services) => {
      const query = { sgid: gid(HOST), dgid: gid(nodeGuid(1)), pkey: PKey.DEFAULT, reversible: true, maxPaths: 1 };
      const answer = await routeBySa(query as never, context.signal, services);
      movePeer(bench, 1, 901);
      happen(bench);
      await bench.clock.settle();
      bench.provider.address = address;
      if (answer !== undefined) context.learn({ kind: "route", query, answer });
      return { gid: gid(nodeGuid(1)) };
    };
    expect((await bench.clock.run(ask(bench, "node1"))).paths[0]?.dlid).toBe(901);
    await bench.engine.close();
  });

  it("does not remember a failure that was on its way when something came into service", async () => {
    const bench = await startBench({ negativeTtlMs: 60_000 });
    const { address } = bench.provider;
    // What the provider knows at this moment travels for 100 ms.
    bench.provider.address = () => new Promise((resolve) => bench.clock.schedule(100, () => resolve(undefined)));
    const waiting = codeOf(ask(bench, "node5"));
    await bench.clock.advance(50);
    bench.provider.address = address;
    bench.native.umad.report("sim0", 1, gidIn(5));
    expect(await bench.clock.run(waiting)).toBe("VERBENA_RESOLVE_NO_DATA");
    expect(await dlid(bench, "node5")).toBe(105);
    await bench.engine.close();
  });

  it("passes over a report that is too short for a notice", async () => {
    const bench = await startBench();
    await bench.clock.advance(1);
    for (const agent of bench.native.umad.agents) {
      if (agent.options.methods?.includes(0x06) === true)
        agent.deliver(encodeSaMad({ method: 0x06, tid: 1n, attributeId: 0x02 }).subarray(0, 100));
    }
    await report(bench, gidOut(1));
    expect(acknowledged(bench.native)).toBe(1);
    expect(bench.engine.saPorts()).toMatchObject([{ notices: "subscribed" }]);
    await bench.engine.close();
  });

  it.each([
    ["another LID", { lid: Lid.from(33) }],
    ["another queue pair", { qpn: 4 }],
  ])("neither follows nor acknowledges a report from %s", async (_where, from) => {
    const bench = await startBench();
    await dlid(bench, "node1");
    bench.native.umad.report("sim0", 1, gidOut(1), { from });
    await bench.clock.advance(100);
    expect(acknowledged(bench.native)).toBe(0);
    expect(bench.engine.cacheEntries().map(({ destination }) => destination)).toContain("node1");
    await bench.engine.close();
  });

  it("acknowledges a repeated report again and follows it once", async () => {
    const bench = await startBench();
    await dlid(bench, "node1");
    bench.native.umad.report("sim0", 1, gidOut(1), { tid: 5n });
    await bench.clock.advance(100);
    await dlid(bench, "node1");
    bench.native.umad.report("sim0", 1, gidOut(1), { tid: 5n });
    await bench.clock.advance(100);
    expect(acknowledged(bench.native)).toBe(2);
    expect(bench.engine.cacheEntries().map(({ destination }) => destination)).toContain("node1");
    await bench.engine.close();
  });

  it("makes no query out of a storm that nobody asks about, and at most one per batch for who asks all the time", async () => {
    const bench = await startBench();
    await dlid(bench, "node1");
    const before = bench.native.sa.queries.length;
    for (let n = 0; n < 5_000; n += 1) bench.native.umad.report("sim0", 1, gidOut(1 + (n % 2)));
    await bench.clock.advance(5_000);
    expect(acknowledged(bench.native)).toBe(5_000);
    expect(bench.native.sa.queries).toHaveLength(before);
    for (let n = 0; n < 1_000; n += 1) {
      bench.native.umad.report("sim0", 1, gidOut(1), { tid: BigInt(n) });
      await dlid(bench, "node1");
      await bench.clock.advance(10);
    }
    // Ten seconds: batches after 50, 100, 200 … ms, then one a second.
    expect(bench.native.sa.queries.length - before).toBeLessThan(16);
    await bench.engine.close();
  });

  it("takes more different notices than it keeps for a change of everything: paths go, addresses are in doubt", async () => {
    const bench = await startBench();
    await dlid(bench, "node1");
    for (let n = 0; n <= BATCH_LIMIT + 1; n += 1) {
      const other = gid(0x900000n + BigInt(n));
      bench.native.umad.report("sim0", 1, notice(TrapNumber.GID_IN_SERVICE, { gid: other }));
    }
    await bench.clock.advance(1_000);
    expect(bench.engine.cacheEntries().filter(({ from }) => from !== "local")).toMatchObject([
      { destination: "node1", cache: "address", isUnconfirmed: true },
    ]);
    await bench.engine.close();
  });

  it("waits at its start for the grant, so that nothing is asked twice", async () => {
    const bench = await startBench();
    expect(bench.engine.saPorts()).toMatchObject([{ notices: "subscribed" }]);
    expect(await dlid(bench, "node1")).toBe(101);
    await bench.clock.advance(1_000);
    expect(await dlid(bench, "node1")).toBe(101);
    expect(bench.native.sa.queries).toHaveLength(1);
    await bench.engine.close();
  });

  it("starts within a second beside an SA that does not answer subscriptions", async () => {
    const bench = await startBench({}, (native) => {
      native.sa.subscribing = FakeSa.silent;
    });
    expect(bench.clock.now()).toBe(1_000);
    expect(await dlid(bench, "node1")).toBe(101);
    await bench.engine.close();
  });

  it.each([
    ["its start", undefined],
    ["client-reregister", ({ native }: Bench) => native.emit("sim0", { type: "client-reregister", port: 1 })],
    ["a new SM", ({ native }: Bench) => native.changeSm("sim0", 1, Lid.from(7))],
  ])(
    "forgets at the grant what it learnt between %s and the grant, and what is on its way then",
    async (_when, happen) => {
      let grantAfterMs = happen === undefined ? 2_000 : 0;
      const bench = await startBench({}, ({ sa }) => {
        const { subscribing } = sa;
        sa.subscribing = (query) => {
          subscribing(query);
          return { type: "reply", delayMs: grantAfterMs };
        };
      });
      grantAfterMs = 500;
      happen?.(bench);
      const [grantAt, started] = [happen === undefined ? 2_000 : 500, bench.clock.now()];
      expect(await dlid(bench, "node1")).toBe(101);
      // Nobody is told of this: the SA had not granted the subscription.
      movePeer(bench, 1, 901);
      expect(await dlid(bench, "node1")).toBe(101);
      bench.native.sa.handler = (query) => ({ ...bench.native.sa.answerPath(query), delayMs: 5_000 }) as FakeSaAction;
      const waiting = ask(bench, "node2");
      await bench.clock.advance(grantAt - started - 1);
      expect(bench.engine.saPorts()).toMatchObject([{ notices: "asking" }]);
      bench.native.sa.handler = (query) => bench.native.sa.answerPath(query);
      await bench.clock.advance(1);
      expect(bench.engine.saPorts()).toMatchObject([{ notices: "subscribed" }]);
      expect((await waiting).paths[0]?.dlid).toBe(102);
      expect(bench.clock.now()).toBeLessThan(started + 5_000);
      expect(await dlid(bench, "node1")).toBe(901);
      await bench.engine.close();
    },
  );

  it("tells the providers at the grant to forget their tables, and leaves the files alone", async () => {
    const bench = await startBench();
    const { events } = bench.provider.ports[0] ?? { events: [] };
    events.length = 0;
    bench.native.emit("sim0", { type: "client-reregister", port: 1 });
    await bench.clock.advance(10);
    expect(events).toMatchObject([{ type: "client-reregister" }, { type: "flush", cause: "notices-missed" }]);
    await bench.engine.close();
  });

  it("forgets nothing when a subscription in force is renewed after its rest", async () => {
    const bench = await startBench({ routeTtlMs: 86_400_000 });
    expect(await dlid(bench, "node1")).toBe(101);
    await bench.clock.advance(3_600_000);
    expect(await dlid(bench, "node1")).toBe(101);
    expect(bench.native.sa.queries).toHaveLength(1);
    await bench.engine.close();
  });

  it("says that the SA refuses, asks again now and then, and forgets what it may have missed", async () => {
    const bench = await startBench({}, (native) => {
      native.sa.subscribing = () => ({ type: "reply", status: MadStatus.SA_REQ_INVALID });
    });
    await bench.clock.advance(1);
    expect(bench.engine.saPorts()).toMatchObject([{ notices: "refused" }]);
    expect(bench.engine.lostFunctions()).toEqual([
      {
        function: "SA notices on sim0/1: changes elsewhere are followed only when entries expire",
        reason: "the SA refuses a subscription with status 0x0200",
        remedy: expect.stringContaining("sa.notices: false") as string,
      },
    ]);
    expect(await dlid(bench, "node1")).toBe(101);
    movePeer(bench, 1, 901);
    bench.native.sa.subscribing = () => ({ type: "reply" });
    await bench.clock.advance(1_000);
    expect(bench.engine.saPorts()).toMatchObject([{ notices: "subscribed" }]);
    expect(bench.engine.lostFunctions()).toEqual([]);
    expect(await dlid(bench, "node1")).toBe(901);
    await bench.engine.close();
  });

  it("says that another program has the reports of the port, and takes over when it ends", async () => {
    const bench = await startBench({}, (native) => {
      native.umad.openPort("sim0", 1).registerAgent({ mgmtClass: 3, classVersion: 2, methods: [6] });
    });
    await bench.clock.advance(1);
    expect(bench.engine.saPorts()).toMatchObject([{ notices: "taken" }]);
    expect(bench.native.sa.subscriptions).toEqual([]);
    expect(await dlid(bench, "node1")).toBe(101);
    // The engine that this one replaces may have them for a moment; who still has them at the next try is another program.
    expect(bench.engine.lostFunctions()).toEqual([]);
    await bench.clock.advance(1_000);
    expect(bench.engine.lostFunctions()).toMatchObject([
      { reason: "the method is taken", remedy: expect.stringContaining("srp_daemon") as string },
    ]);
    const [other] = bench.native.umad.agents;
    await other?.close();
    await bench.clock.advance(2_000);
    expect(bench.engine.saPorts()).toMatchObject([{ notices: "subscribed" }]);
    expect(bench.engine.lostFunctions()).toEqual([]);
    await bench.engine.close();
  });

  it("leaves the SA's notices alone where they are switched off", async () => {
    const bench = await startBench({ notices: false });
    await bench.clock.advance(1);
    expect(bench.native.sa.subscriptions).toEqual([]);
    expect(bench.engine.saPorts()).toMatchObject([{ notices: "off" }]);
    expect(bench.native.umad.agents.size).toBe(1);
    await bench.engine.close();
  });

  it.each([
    ["a slow answer has the only place", (query: FakeSaQuery) => FakeSa.silent(query)],
    ["the SA is BUSY", (query: FakeSaQuery) => FakeSa.busy(query)],
  ])(
    "ends its subscriptions, and lets providers say their last words, with a window of one while %s",
    async (_what, handler) => {
      const bench = await startBench({ saDepth: 1 });
      const { sa } = bench.native;
      sa.handler = handler;
      const [port] = bench.provider.ports;
      const [endpoint] = port?.endpoints ?? [];
      if (port === undefined || endpoint === undefined) throw new Error("no session");
      const table = { attributeId: 0x11, componentMask: 0n, record: Buffer.alloc(108) } as const;
      const hanging = codeOf(port.services.sa.query({ ...table, method: "getTable" }));
      const waiting = codeOf(ask(bench, "node1"));
      await bench.clock.advance(10);
      const [before, closedAt] = [sa.queries.length, bench.clock.now()];
      sa.handler = () => ({ type: "reply", delayMs: 5 });
      const dispose = endpoint[Symbol.asyncDispose].bind(endpoint);
      endpoint[Symbol.asyncDispose] = async () => {
        await port.services.sa.query({ ...table, method: "delete", deadlineMs: 500 });
        await dispose();
      };
      await bench.clock.run(bench.engine.close());
      expect(sa.subscriptions).toEqual([]);
      expect(sa.queries.slice(before).map(({ mad }) => mad.method)).toEqual([0x15]);
      expect(bench.clock.now() - closedAt).toBe(5);
      expect(await hanging).toBe("VERBENA_SA_CLOSED");
      expect(await waiting).toBe("VERBENA_RESOLVE_CLOSED");
    },
  );

  it("does not wait for a silent SA when it closes", async () => {
    const bench = await startBench();
    await bench.clock.advance(1);
    bench.native.sa.subscribing = FakeSa.silent;
    const before = bench.clock.now();
    await bench.engine.close();
    expect(bench.clock.now()).toBe(before);
    expect(bench.clock.pending).toBe(0);
  });
});
