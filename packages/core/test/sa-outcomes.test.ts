/**
 * What becomes of each way in which the SA can answer a path query, up to the status byte that a client of the ACM socket gets: the table of
 * spec acm.md 5.5, but for a status that has a low byte only. ibacm takes that for success and caches the echoed request; here BUSY is tried
 * again, the others are failures. Nothing wrong is cached.
 */
import { decodePathRecord, encodePathRecord, Lid, MadStatus } from "@verbena/ib";
import { failureOf } from "../src/acm/status.js";
import { FakeSa, type FakeSaAction, type FakeSaHandler } from "../src/testing/index.js";
import { ask, type Bench, gid, nodeGuid, startBench } from "./support/engine-bench.js";

const RIGHT_LID = 101;
/** `timeout` and `retries` of ibacm: three tries of two seconds. */
const DEADLINE_MS = 6_000;
const NEGATIVE_TTL_MS = 1_000;

type MakeHandler = (bench: Bench) => FakeSaHandler;
/** Client status of a failure, and how long it took; or the LID that was found. */
type Outcome = { readonly status: number; readonly code: string } | { readonly lid: number };

const refuse =
  (status: number): MakeHandler =>
  () =>
  () => ({ type: "reply", status });

/** An answer with the right path, changed. */
const answer =
  (change: Partial<Extract<FakeSaAction, { type: "reply" }>>): MakeHandler =>
  (bench) =>
  (query) => ({ ...bench.native.sa.answerPath(query), ...change });

async function outcome(bench: Bench): Promise<Outcome> {
  try {
    const { paths } = await bench.clock.run(ask(bench, "node1"));
    return { lid: paths[0]?.dlid ?? 0 };
  } catch (error) {
    const { code } = error as { readonly code: string };
    return { status: failureOf(error)?.status ?? -1, code };
  }
}

const answerOther: MakeHandler = () => (query) => ({ type: "reply", records: [otherPath(query.mad.data)] });

const routes = (bench: Bench) => bench.engine.cacheEntries().filter(({ cache }) => cache === "route");

const SA_STATUS = "VERBENA_RESOLVE_SA_STATUS";
const NOT_KNOWN: Outcome = { status: 3, code: "VERBENA_RESOLVE_NO_DATA" };
const TIMEOUT: Outcome = { status: 6, code: "VERBENA_RESOLVE_TIMEOUT" };

describe("an outcome of the SA", () => {
  it.each<[string, MakeHandler, Outcome]>([
    // The high byte is the SA's own status, and the client's.
    ["NO_RESOURCES 0x0100", refuse(0x0100), { status: 1, code: SA_STATUS }],
    ["REQ_INVALID 0x0200", refuse(0x0200), { status: 2, code: SA_STATUS }],
    ["NO_RECORDS 0x0300", refuse(0x0300), { status: 3, code: "VERBENA_RESOLVE_NO_DATA" }],
    ["TOO_MANY_RECORDS 0x0400", refuse(0x0400), { status: 4, code: SA_STATUS }],
    ["INVALID_GID 0x0500", refuse(0x0500), { status: 5, code: SA_STATUS }],
    ["INSUF_COMPS 0x0600", refuse(0x0600), { status: 6, code: SA_STATUS }],
    ["DENIED 0x0700", refuse(0x0700), { status: 7, code: SA_STATUS }],
    ["PRIORITY_SUGGESTED 0x0800", refuse(0x0800), { status: 8, code: SA_STATUS }],
    ["a status of a newer SA 0x2a00", refuse(0x2a00), { status: 0x2a, code: SA_STATUS }],
    // A low byte alone: never success, never an answer.
    ["REDIRECT 0x0002", refuse(0x0002), { status: 2, code: SA_STATUS }],
    ["unsupported version 0x0004", refuse(0x0004), { status: 2, code: SA_STATUS }],
    ["unsupported method 0x0008", refuse(0x0008), { status: 2, code: SA_STATUS }],
    ["unsupported method and attribute 0x000c", refuse(0x000c), { status: 2, code: SA_STATUS }],
    ["invalid field 0x001c", refuse(0x001c), { status: 2, code: SA_STATUS }],
    ["BUSY 0x0001 without an end", refuse(MadStatus.BUSY), TIMEOUT],
    ["silence", () => FakeSa.silent, TIMEOUT],
    ["a transaction id of nobody", answer({ tid: 0xdead_beefn }), TIMEOUT],
    ["an answer after the deadline", answer({ delayMs: DEADLINE_MS + 1 }), TIMEOUT],
    // With status 0, but of no use.
    ["a path to nowhere", answer({ records: [Buffer.alloc(64)] }), NOT_KNOWN],
    ["a path to another host", answerOther, NOT_KNOWN],
  ])("%s is a failure; what comes after it is right", async (_what, make, expected) => {
    const bench = await startBench({ negativeTtlMs: NEGATIVE_TTL_MS, saBreakerAfter: 0 });
    bench.native.sa.handler = make(bench);
    expect(await outcome(bench)).toEqual(expected);
    expect(bench.clock.now()).toBeLessThanOrEqual(DEADLINE_MS);
    expect(routes(bench).filter(({ state }) => state !== "negative")).toEqual([]);

    bench.native.sa.handler = (query) => bench.native.sa.answerPath(query);
    // Whatever of the bad answers is still on its way arrives meanwhile.
    await bench.clock.advance(DEADLINE_MS + NEGATIVE_TTL_MS);
    expect(await outcome(bench)).toEqual({ lid: RIGHT_LID });
    expect(routes(bench)).toMatchObject([{ state: "positive", lid: RIGHT_LID }]);
    await bench.engine.close();
  });

  it.each<[string, MakeHandler]>([
    ["an answer at once", answer({})],
    ["an answer later than one try, within the deadline", answer({ delayMs: 3_000 })],
    ["three answers alike", answer({ copies: 3 })],
    [
      "the right answer behind a wrong transaction id",
      (bench) => (query) => [
        { type: "reply", tid: 0xdead_beefn, records: [otherPath(query.mad.data)] },
        bench.native.sa.answerPath(query),
      ],
    ],
    [
      "a second answer that says something else",
      (bench) => (query) => [
        bench.native.sa.answerPath(query),
        { type: "reply", delayMs: 1, records: [otherPath(query.mad.data)] },
      ],
    ],
    ["BUSY before it", (bench) => after(bench, (query) => FakeSa.busy(query))],
    ["silence before it", (bench) => after(bench, (query) => FakeSa.silent(query))],
  ])("%s: the path is right and cached", async (_what, make) => {
    const bench = await startBench();
    bench.native.sa.handler = make(bench);
    expect(await outcome(bench)).toEqual({ lid: RIGHT_LID });
    await bench.clock.advance(DEADLINE_MS);
    expect(routes(bench)).toMatchObject([{ state: "positive", lid: RIGHT_LID }]);
    bench.native.sa.handler = FakeSa.silent;
    expect(await outcome(bench)).toEqual({ lid: RIGHT_LID });
    await bench.engine.close();
  });
});

/** One bad outcome, then the right answer. */
function after(bench: Bench, bad: FakeSaHandler): FakeSaHandler {
  return (query) => (bench.native.sa.queries.length === 1 ? bad(query) : bench.native.sa.answerPath(query));
}

/** A path to somebody else. */
function otherPath(asked: Buffer): Buffer {
  return encodePathRecord({ ...decodePathRecord(asked), dlid: Lid.from(199), dgid: gid(nodeGuid(99)) });
}
