import {
  emptyPathRecord,
  encodePathRecord,
  encodeSaMad,
  Gid,
  Guid,
  Lid,
  PKey,
  pathRecordMask,
  VerbenaError,
} from "@verbena/ib";
import { noMetrics, silentLogger } from "../host/default-services.js";
import { readVerbsPort } from "../ports/verbs-port.js";
import type { Port } from "../sdk/endpoint.js";
import type { SaQuery } from "../sdk/services.js";
import { FakeNative, FakeSa, VirtualClock } from "../testing/index.js";
import { SaBreaker } from "./sa-breaker.js";
import { SaClient } from "./sa-client.js";
import type { SaClientOptions } from "./sa-client-options.js";
import { adaptiveWindow } from "./sa-window.js";

const HOST = Guid.parse("0x0000000000100001");
const PEER = Guid.parse("0x0000000000100003");

function setUp(options: Partial<SaClientOptions> = {}, port: { readonly pkeys?: readonly PKey[] } = {}) {
  const clock = new VirtualClock();
  const native = new FakeNative({
    clock,
    devices: [
      {
        name: "sim0",
        nodeGuid: HOST,
        ports: [{ port: 1, portGuid: HOST, lid: Lid.from(2), smLid: Lid.from(9), ...port }],
      },
    ],
  });
  native.sa.peers.push({ guid: PEER, lid: Lid.from(3) });
  const context = native.verbs.open("sim0");
  const snapshot = (): Port => ({ ...readVerbsPort(context, 1, 1), generation: 1 });
  const client = new SaClient({
    umad: native.umad,
    port: snapshot(),
    clock,
    random: () => 0.5,
    logger: silentLogger,
    metrics: noMetrics,
    timeoutMs: 2000,
    retries: 2,
    ...options,
  });
  const [agent] = native.umad.agents;
  if (agent === undefined) throw new Error("no agent");
  return { clock, native, client, agent, snapshot };
}

function ask(lid = 3, extra: Partial<SaQuery> = {}): SaQuery {
  const fields = { sgid: Gid.of(Gid.linkLocalPrefix, HOST), dlid: Lid.from(lid), pkey: PKey.DEFAULT };
  return {
    method: "get",
    attributeId: 0x35,
    componentMask: pathRecordMask(fields),
    record: encodePathRecord(emptyPathRecord(fields)),
    ...extra,
  };
}

const code = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "resolved",
    (error: unknown) => (VerbenaError.is(error) ? error.code : String(error)),
  );

describe("SaClient", () => {
  it("registers class 3 version 2 with RMPP and sends to QP1 of the SM", async () => {
    const { clock, native, client, agent } = setUp();
    expect(agent.options).toEqual({ mgmtClass: 3, classVersion: 2, rmppVersion: 1 });
    const response = await clock.run(client.query(ask()));
    expect(response.status).toBe(0);
    expect(response.records).toHaveLength(1);
    expect(response.records[0]?.readUInt16BE(40)).toBe(3);
    expect(native.sa.queries[0]?.to).toEqual({ lid: 9, qpn: 1, qkey: 0x80010000, sl: 0, pathBits: 0, pkeyIndex: 0 });
    expect(native.sa.queries[0]?.mad.componentMask).toBe(0x2018n);
  });

  it("hands on a class status with the echoed record", async () => {
    const { clock, client } = setUp();
    const response = await clock.run(client.query(ask(77)));
    expect(response.status).toBe(0x0300);
    expect(response.records[0]).toEqual(Buffer.from(ask(77).record));
  });

  it("reads tables", async () => {
    const { clock, native, client } = setUp();
    const records = Array.from({ length: 3000 }, (_, index) =>
      encodePathRecord(emptyPathRecord({ dlid: Lid.from(index + 1) })),
    );
    native.sa.handler = () => ({ type: "reply", records });
    const response = await clock.run(client.query(ask(3, { method: "getTable" })));
    expect(response.records).toHaveLength(3000);
    expect(response.records[2999]?.readUInt16BE(40)).toBe(3000);
  });

  it("never has more queries on their way than the window, first come first served", async () => {
    const { clock, native, client, agent } = setUp();
    native.sa.handler = (query) => ({ ...native.sa.answerPath(query), delayMs: 10 });
    const all = Array.from({ length: 50 }, () => client.query(ask()));
    await clock.run(Promise.all(all));
    expect(agent.peak).toBe(16);
    expect(native.sa.queries).toHaveLength(50);
    expect(client.stats()).toMatchObject({ sent: 50, answered: 50, inFlight: 0, queued: 0 });
    await client.close();
    expect(clock.pending).toBe(0);
  });

  it("asks again while the SA is busy and gives the right answer afterwards", async () => {
    const { clock, native, client } = setUp();
    native.sa.handler = (query) => (clock.now() < 5000 ? FakeSa.busy(query) : native.sa.answerPath(query));
    const response = await clock.run(client.query(ask()));
    expect(response.status).toBe(0);
    expect(response.records[0]?.readUInt16BE(40)).toBe(3);
    expect(clock.now()).toBeGreaterThanOrEqual(5000);
    expect(clock.now()).toBeLessThan(6000);
    expect(native.sa.queries.length).toBeLessThan(14);
  });

  it("ends at the deadline: BUSY and silence have different codes", async () => {
    const busy = setUp();
    busy.native.sa.handler = FakeSa.busy;
    expect(await busy.clock.run(code(busy.client.query(ask())))).toBe("VERBENA_SA_BUSY");
    expect(busy.clock.now()).toBe(6000);

    const silent = setUp();
    silent.native.sa.handler = FakeSa.silent;
    expect(await silent.clock.run(code(silent.client.query(ask())))).toBe("VERBENA_SA_TIMEOUT");
    expect(silent.clock.now()).toBe(6000);
    expect(silent.native.sa.queries).toHaveLength(3);
    expect(silent.client.stats()).toMatchObject({ inFlight: 0, queued: 0 });
  });

  it("takes the late answer of an SA that is slower than the time-out", async () => {
    const { clock, native, client, agent } = setUp();
    native.sa.handler = (query) => ({ ...native.sa.answerPath(query), delayMs: 3000 });
    const all = Promise.all(Array.from({ length: 40 }, () => client.query(ask(3, { deadlineMs: 15_000 }))));
    expect((await clock.run(all)).every(({ status }) => status === 0)).toBe(true);
    // Each was repeated once, under its transaction id, and answered by the answer to its first send.
    const tids = native.sa.queries.map(({ mad }) => mad.tid);
    expect(new Set(tids).size).toBe(40);
    expect(tids).toHaveLength(80);
    expect(agent.peak).toBe(16);
    expect(clock.now()).toBe(9000);
    await client.close();
    expect(clock.pending).toBe(0);
  });

  it("begins a new transaction after BUSY: what the former one still brings finds nobody", async () => {
    const { clock, native, client, agent } = setUp();
    native.sa.handler = (query) => {
      if (native.sa.queries.length > 1) return { ...native.sa.answerPath(query), delayMs: 100 };
      clock.schedule(60, () => {
        agent.deliver(encodeSaMad({ method: 0x81, tid: query.mad.tid, attributeId: 0x35, status: 0x0300 }));
      });
      return FakeSa.busy(query);
    };
    expect((await clock.run(client.query(ask()))).status).toBe(0);
    const tids = native.sa.queries.map(({ mad }) => mad.tid);
    expect(new Set(tids).size).toBe(2);
    expect(client.stats()).toMatchObject({ busy: 1, answered: 1, dropped: 1 });
  });

  it("waits for the kernel to give a try back before it repeats it", async () => {
    const { clock, native, client, agent } = setUp();
    const { send } = agent;
    agent.send = (mad, options) => {
      send.call(agent, mad, { ...options, timeoutMs: options.timeoutMs + 150 });
    };
    native.sa.handler = (query) =>
      native.sa.queries.length === 1 ? FakeSa.silent(query) : native.sa.answerPath(query);
    expect((await clock.run(client.query(ask()))).status).toBe(0);
    expect(client.stats()).toMatchObject({ sendErrors: 0, sent: 2 });
  });

  it("keeps its own time where the library gives unanswered requests never back", async () => {
    const { clock, native, client, agent } = setUp();
    native.sa.handler = FakeSa.silent;
    agent.deliver = () => undefined;
    expect(await clock.run(code(client.query(ask(3, { deadlineMs: 3000 }))))).toBe("VERBENA_SA_TIMEOUT");
    expect(native.sa.queries).toHaveLength(2);
  });

  it("drops what nobody asked for", async () => {
    const { clock, native, client, agent } = setUp();
    native.sa.handler = (query) => [
      { type: "reply", tid: query.mad.tid ^ 1n, records: [encodePathRecord(emptyPathRecord({ dlid: Lid.from(66) }))] },
      { ...native.sa.answerPath(query), delayMs: 5, copies: 2 },
    ];
    const response = await clock.run(client.query(ask()));
    expect(response.records[0]?.readUInt16BE(40)).toBe(3);
    agent.deliver(Buffer.alloc(3));
    await clock.settle();
    expect(client.stats()).toMatchObject({ answered: 1, dropped: 3 });
  });

  it("goes on waiting when the answer is of another attribute or broken", async () => {
    const { clock, native, client, agent } = setUp();
    native.sa.handler = (query) => {
      agent.deliver(encodeSaMad({ method: 0x81, tid: query.mad.tid, attributeId: 0x11 }), 0, query.to);
      agent.deliver(encodeSaMad({ method: 0x81, tid: query.mad.tid, attributeId: 0x35 }).subarray(0, 40), 0, query.to);
      return { ...native.sa.answerPath(query), delayMs: 5 };
    };
    expect((await clock.run(client.query(ask()))).records[0]?.readUInt16BE(40)).toBe(3);
    expect(client.stats().dropped).toBe(2);
  });

  it.each([
    ["another LID", { lid: Lid.from(33) }],
    ["another queue pair", { qpn: 4 }],
    ["another partition", { pkeyIndex: 1 }],
  ])("drops an answer from %s, whatever its transaction id, and asks again", async (_where, from) => {
    const counted: unknown[] = [];
    const { clock, native, client } = setUp(
      { metrics: { ...noMetrics, increment: (name, labels) => counted.push([name, labels]) } },
      { pkeys: [PKey.DEFAULT, PKey.from(0x8001)] },
    );
    const forged = [encodePathRecord(emptyPathRecord({ dlid: Lid.from(66) }))];
    // The kernel takes the first answer for the one and keeps the SA's own to itself: only the next try gets one.
    native.sa.handler = (query) =>
      native.sa.queries.length === 1
        ? { ...native.sa.answerPath(query), records: forged, from }
        : native.sa.answerPath(query);
    expect((await clock.run(client.query(ask()))).records[0]?.readUInt16BE(40)).toBe(3);
    expect(client.stats()).toMatchObject({ sent: 2, timeouts: 1, answered: 1, dropped: 1 });
    expect(counted).toContainEqual(["verbena_sa_dropped_total", { port: "sim0/1", reason: "foreign" }]);
  });

  it("takes answers of an SA that has a limited member's partition only", async () => {
    const { clock, native, client } = setUp({}, { pkeys: [PKey.from(0x7fff)] });
    native.sa.handler = (query) => ({ ...native.sa.answerPath(query), from: { pkeyIndex: 0 } });
    expect((await clock.run(client.query(ask()))).status).toBe(0);
  });

  it("gives the window's place back when a query is aborted", async () => {
    const { clock, native, client } = setUp({
      window: { limit: 1, onAnswer: () => undefined, onCongestion: () => undefined },
    });
    native.sa.handler = (query) =>
      native.sa.queries.length === 1 ? FakeSa.silent(query) : native.sa.answerPath(query);
    const controller = new AbortController();
    const first = code(client.query(ask(3, { signal: controller.signal })));
    const second = client.query(ask());
    const third = code(client.query(ask(3, { signal: AbortSignal.abort() })));
    await clock.settle();
    controller.abort();
    expect(await first).toBe("VERBENA_SA_ABORTED");
    expect(await third).toBe("VERBENA_SA_ABORTED");
    expect((await clock.run(second)).status).toBe(0);
    expect(clock.now()).toBe(0);
  });

  it("asks the new SM when the SM moves, and drops the old one's answer", async () => {
    const { clock, native, client, snapshot } = setUp();
    native.sa.handler = (query) =>
      query.to.lid === 9 ? { type: "reply", status: 0x0300, delayMs: 100 } : native.sa.answerPath(query);
    const answer = client.query(ask());
    await clock.advance(10);
    native.set("sim0", 1, { smLid: Lid.from(7), smSl: 3 });
    client.update(snapshot());
    expect((await clock.run(answer)).status).toBe(0);
    expect(native.sa.queries.map((query) => [query.to.lid, query.to.sl])).toEqual([
      [9, 0],
      [7, 3],
    ]);
  });

  it("rejects open queries when the port becomes another one", async () => {
    const { clock, native, client, snapshot } = setUp();
    native.sa.handler = FakeSa.silent;
    const answers = Array.from({ length: 20 }, () => code(client.query(ask())));
    await clock.advance(1);
    native.set("sim0", 1, { lid: Lid.from(12) });
    client.update(snapshot());
    expect(new Set(await Promise.all(answers))).toEqual(new Set(["VERBENA_SA_STALE"]));
    await clock.advance(1);
    expect(native.sa.queries.length).toBe(16);
    native.sa.handler = (query) => native.sa.answerPath(query);
    expect((await clock.run(client.query(ask()))).status).toBe(0);
  });

  it("reports a send that the kernel refuses, with its errno", async () => {
    const { native, client } = setUp();
    native.umad.sendErrno = 1;
    await expect(client.query(ask())).rejects.toMatchObject({ code: "VERBENA_SA_SEND", errno: 1 });
    expect(client.stats()).toMatchObject({ sendErrors: 1, inFlight: 0 });
  });

  it("leaves a silent SA alone, says when it is tried again, and comes back with the first answer", async () => {
    const lines: unknown[] = [];
    const { clock, native, client } = setUp({
      random: () => 0,
      breaker: new SaBreaker({ after: 2, pauseMs: 1000, random: () => 1 }),
      logger: {
        ...silentLogger,
        warn: (message, fields) => lines.push([message, fields]),
        info: (message, fields) => lines.push([message, fields]),
      },
    });
    native.sa.handler = FakeSa.silent;
    const both = [code(client.query(ask())), code(client.query(ask()))];
    await clock.advance(2000);
    expect(client.stats()).toMatchObject({ breaker: "closed", timeouts: 2 });
    await clock.advance(2000);
    // The second round of silence: whoever waits for another try is told at once.
    expect(await Promise.all(both)).toEqual(["VERBENA_SA_BREAKER_OPEN", "VERBENA_SA_BREAKER_OPEN"]);
    expect(client.stats()).toMatchObject({ breaker: "open", retryInMs: 1000, inFlight: 0, queued: 0 });
    await clock.advance(400);
    const sent = native.sa.queries.length;
    await expect(client.query(ask())).rejects.toMatchObject({
      code: "VERBENA_SA_BREAKER_OPEN",
      details: { port: "sim0/1", retryInMs: 600 },
    });
    expect(native.sa.queries).toHaveLength(sent);

    await clock.advance(600);
    const probe = code(client.query(ask()));
    expect(await code(client.query(ask()))).toBe("VERBENA_SA_BREAKER_OPEN");
    expect(client.stats()).toMatchObject({ breaker: "half-open", inFlight: 1 });
    expect(await clock.run(probe)).toBe("VERBENA_SA_BREAKER_OPEN");
    expect(client.stats()).toMatchObject({ breaker: "open", retryInMs: 2000 });

    await clock.advance(2000);
    native.sa.handler = (query) => native.sa.answerPath(query);
    expect((await clock.run(client.query(ask()))).status).toBe(0);
    expect(client.stats()).toMatchObject({ breaker: "closed", retryInMs: 0 });
    // Device and port are fields of the logger, and would be in the line twice.
    expect(lines).toEqual([
      ["the SA is silent and left alone", { retryInMs: 1000 }],
      ["the SA answers again", undefined],
    ]);
    expect(await clock.run(code(client.query(ask())))).toBe("resolved");
    await client.close();
    expect(clock.pending).toBe(0);
  });

  it("takes BUSY for a sign of life, and a probe that is aborted for none", async () => {
    const { clock, native, client } = setUp({
      breaker: new SaBreaker({ after: 1, pauseMs: 1000, random: () => 1 }),
    });
    native.sa.handler = FakeSa.silent;
    expect(await clock.run(code(client.query(ask())))).toBe("VERBENA_SA_BREAKER_OPEN");
    await clock.advance(1000);
    const controller = new AbortController();
    const probe = code(client.query(ask(3, { signal: controller.signal })));
    controller.abort();
    expect(await probe).toBe("VERBENA_SA_ABORTED");
    native.sa.handler = (query) => (native.sa.queries.length < 4 ? FakeSa.busy(query) : native.sa.answerPath(query));
    const next = code(client.query(ask()));
    await clock.advance(1);
    expect(client.stats()).toMatchObject({ breaker: "closed", busy: 1 });
    expect(await clock.run(next)).toBe("resolved");
  });

  it("counts a last try that the deadline cut short, if it had a fair part of its time", async () => {
    for (const [deadlineMs, breaker] of [
      [1000, "open"],
      [999, "closed"],
    ] as const) {
      const { clock, native, client } = setUp({ breaker: new SaBreaker({ after: 1, random: () => 1 }) });
      native.sa.handler = FakeSa.silent;
      expect(await clock.run(code(client.query(ask(3, { deadlineMs }))))).toBe("VERBENA_SA_TIMEOUT");
      expect(client.stats().breaker).toBe(breaker);
      await client.close();
    }
  });

  it("asks another SM at once, whatever the former one was like", async () => {
    const { clock, native, client, snapshot } = setUp({
      breaker: new SaBreaker({ after: 1, pauseMs: 60_000, random: () => 1 }),
    });
    native.sa.handler = (query) => (query.to.lid === 9 ? FakeSa.silent(query) : native.sa.answerPath(query));
    expect(await clock.run(code(client.query(ask())))).toBe("VERBENA_SA_BREAKER_OPEN");
    native.set("sim0", 1, { smLid: Lid.from(7) });
    client.update(snapshot());
    expect(await clock.run(code(client.query(ask())))).toBe("resolved");
  });

  it("adapts its window: fewer on their way after BUSY, all of them again after answers", async () => {
    const { clock, native, client } = setUp({ window: adaptiveWindow(16) });
    let most = 0;
    native.sa.handler = (query) => {
      most = Math.max(most, client.stats().inFlight);
      return clock.now() < 1000
        ? { type: "reply", status: 0x0001, delayMs: 1 }
        : { ...native.sa.answerPath(query), delayMs: 1 };
    };
    const all = Promise.all(Array.from({ length: 200 }, () => code(client.query(ask(3, { deadlineMs: 60_000 })))));
    await clock.advance(900);
    expect(client.stats()).toMatchObject({ window: 1, breaker: "closed" });
    expect(new Set(await clock.run(all))).toEqual(new Set(["resolved"]));
    expect(client.stats().window).toBeGreaterThan(8);
    expect(most).toBeLessThanOrEqual(16);
  });

  it("tells the SA something beside a full window, and counts no answer to it", async () => {
    const { clock, native, client } = setUp({
      window: { limit: 1, onAnswer: () => undefined, onCongestion: () => undefined },
    });
    native.sa.handler = FakeSa.silent;
    const open = code(client.query(ask()));
    const queued = code(client.query(ask(4)));
    await clock.advance(1);
    native.sa.handler = (query) => native.sa.answerPath(query);
    client.tell(ask(5));
    client.tell(ask(6));
    await clock.advance(1);
    expect(native.sa.queries).toHaveLength(3);
    expect(client.stats()).toMatchObject({ sent: 3, answered: 0, dropped: 0, inFlight: 1, queued: 1 });
    client.giveUp();
    expect(await Promise.all([open, queued])).toEqual(["VERBENA_SA_CLOSED", "VERBENA_SA_CLOSED"]);
    expect(await clock.run(code(client.query(ask())))).toBe("resolved");
    expect(native.sa.queries).toHaveLength(4);
    await client.close();
    client.tell(ask(7));
    expect(clock.pending).toBe(0);
  });

  it("passes over a send that the kernel refuses when it tells something", () => {
    const { native, client } = setUp();
    native.umad.sendErrno = 1;
    client.tell(ask());
    expect(client.stats()).toMatchObject({ sendErrors: 1, sent: 0 });
  });

  it("closes once, settles what is open and refuses afterwards", async () => {
    const { clock, native, client, agent } = setUp();
    native.sa.handler = FakeSa.silent;
    const open = code(client.query(ask()));
    await Promise.all([client.close(), client.close()]);
    expect(await open).toBe("VERBENA_SA_CLOSED");
    expect(await code(client.query(ask()))).toBe("VERBENA_SA_CLOSED");
    expect(agent.closed).toBe(true);
    expect(clock.pending).toBe(0);
  });
});
