import { spawnSync } from "node:child_process";
import type { ChannelToken } from "../src/index.js";
import { fixtureProgram } from "./fixture-program.js";
import { Arrivals, type ChannelWorker, startWorker, type WorkerEvent, type WorkerOptions } from "./rdma-workers.js";
import { type Bench, often, Rig } from "./rig.js";

jest.setTimeout(120_000);

let rig: Rig;
const started: ChannelWorker[] = [];
beforeAll(async () => {
  rig = await Rig.start();
});
// Before the fabric goes, also where a test has failed.
afterEach(() => Promise.all(started.splice(0).map((worker) => worker.kill())));
afterAll(() => rig.close());

async function start(token: ChannelToken, options: Partial<WorkerOptions>, onEvent: (event: WorkerEvent) => void) {
  const worker = await startWorker(token, { options: rig.options, manner: "arms", ...options }, onEvent);
  started.push(worker);
  return worker;
}

const completions = (events: readonly WorkerEvent[]): number =>
  events.reduce((sum, { wrIds }) => sum + wrIds.length, 0);

const median = (list: readonly number[]): number => [...list].sort((x, y) => x - y)[list.length >> 1] ?? 0;
const p99 = (list: readonly number[]): number => [...list].sort((x, y) => x - y)[Math.floor(list.length * 0.99)] ?? 0;

describe("four threads on one channel with eight queues", () => {
  /** The channel, its queues with a sender each, and threads that read it. */
  async function open(bench: Bench, manner: WorkerOptions["manner"]) {
    const channel = await bench.context.createCompletionChannel();
    const queues = await Promise.all(Array.from({ length: 8 }, () => bench.queue({ channel })));
    const pairs = await Promise.all(queues.map(async (cq) => (await bench.pair("uc", cq))[0]));
    const token = structuredClone(channel.share());
    const arrivals = new Arrivals<WorkerEvent & { readonly worker: number }>();
    const workers = await Promise.all(
      [0, 1, 2, 3].map((worker) => start(token, { manner }, (event) => arrivals.push({ ...event, worker }))),
    );
    return { channel, queues, pairs, arrivals, workers };
  }

  test("each event reaches exactly one of them and names its queue, whose completion is there", async () => {
    const ROUNDS = often(50, 10);
    await using bench = await rig.open();
    const { channel, queues, pairs, arrivals, workers } = await open(bench, "leaves-unarmed");
    for (let round = 0; round < ROUNDS; round++) {
      // Armed once each: eight events, and no more until the next round.
      for (const cq of queues) cq.arm();
      for (const pair of pairs) pair.postSend([{ wrId: round }]);
      await arrivals.reach((round + 1) * queues.length);
    }
    const events = await Promise.all(workers.map((worker) => worker.stop()));
    expect(events.reduce((sum, one) => sum + one, 0)).toBe(ROUNDS * queues.length);
    expect(channel.tryRead()).toBeUndefined();
    for (const cq of queues) {
      const own = arrivals.items.filter((event) => event.cq === cq.id);
      expect(own.map(({ wrIds }) => wrIds)).toEqual(Array.from({ length: ROUNDS }, (_, round) => [round]));
    }
    process.stdout.write(`events of the four threads: ${events.join(", ")}\n`);
  });

  test("who has an event arms the queue: each completion is seen once, and the credits come back", async () => {
    const PER_QUEUE = often(100, 20);
    await using bench = await rig.open();
    const { channel, queues, pairs, arrivals, workers } = await open(bench, "arms");
    for (const cq of queues) cq.arm();
    // In rounds, so that queues run empty and are armed again and again.
    for (let round = 0; round < PER_QUEUE / 4; round++) {
      for (const pair of pairs) pair.postSend([0, 1, 2, 3].map((i) => ({ wrId: round * 4 + i })));
      await arrivals.until((items) => completions(items) === (round + 1) * 4 * queues.length);
    }
    await Promise.all(workers.map((worker) => worker.stop()));
    for (const cq of queues) {
      const all = arrivals.items.filter((event) => event.cq === cq.id).flatMap(({ wrIds }) => wrIds);
      expect([...all].sort((x, y) => x - y)).toEqual(Array.from({ length: PER_QUEUE }, (_, i) => i));
    }
    // The credits came back here, although others took the completions.
    expect(pairs.map((pair) => pair.sendCredits)).toEqual(pairs.map(() => 64));
    // All threads have left: events come here again.
    queues[0]?.arm();
    pairs[0]?.postSend([{ wrId: 1 }]);
    expect(channel.tryRead()).toBe(queues[0]);
  });
});

test("a channel for each thread: urgent completions are taken one by one while the other thread is busy", async () => {
  const COUNT = often(200, 20);
  await using bench = await rig.open();
  const gate = new Int32Array(new SharedArrayBuffer(8));
  const open = async (more: Partial<WorkerOptions>) => {
    const channel = await bench.context.createCompletionChannel();
    const cq = await bench.queue({ channel, depth: 4 * COUNT });
    const [pair] = await bench.pair("uc", cq, { maxSendWr: 2 * COUNT, maxRecvWr: 0 });
    const arrivals = new Arrivals<WorkerEvent>();
    const worker = await start(channel.share(), more, arrivals.push);
    cq.arm();
    return { pair, arrivals, worker };
  };
  const urgent = await open({});
  const bulk = await open({ gate });
  let sent = 0;
  /** From post to completion in hand, microseconds, of `COUNT` urgent messages, one under way at a time. */
  const measure = async (): Promise<readonly number[]> => {
    const took: number[] = [];
    for (let i = 0; i < COUNT; i++) {
      const begin = Number(process.hrtime.bigint()) / 1000;
      urgent.pair.postSend([{ wrId: sent++ }]);
      const { atUs } = await urgent.arrivals.reach(sent);
      took.push(atUs - begin);
      // Work piles up at the other thread meanwhile.
      if (bulk.arrivals.items.length > 0) bulk.pair.postSend([{ wrId: 1 + i }]);
    }
    return took;
  };
  const alone = await measure();
  bulk.pair.postSend([{ wrId: 0 }]);
  await bulk.arrivals.reach(1);
  const beside = await measure();
  // All of the urgent ones while the other thread was in its first event: each by an event of its own, in order.
  expect(bulk.arrivals.items.map(({ wrIds }) => wrIds)).toEqual([[0]]);
  expect(urgent.arrivals.items.map(({ wrIds }) => wrIds)).toEqual(Array.from({ length: 2 * COUNT }, (_, i) => [i]));
  expect(await urgent.worker.stop()).toBe(2 * COUNT);
  expect(Atomics.load(gate, 1)).not.toBe(0);
  // Then the other thread takes all that had piled up.
  Atomics.store(gate, 0, 1);
  await bulk.arrivals.until((items) => completions(items) === 1 + COUNT);
  await bulk.worker.stop();
  const figures = (list: readonly number[]): string => `median ${median(list).toFixed(0)}, p99 ${p99(list).toFixed(0)}`;
  process.stdout.write(`urgent completions, µs: the other thread idle: ${figures(alone)}; busy: ${figures(beside)}\n`);
});

test("a token of a channel that is closed everywhere is refused; what cannot be shared says so", async () => {
  await using bench = await rig.open();
  const channel = await bench.context.createCompletionChannel();
  const cq = await bench.queue({ channel });
  const [a] = await bench.pair("uc", cq);
  const token = channel.share();
  const option = expect.objectContaining({ code: "VERBENA_NATIVE_OPTION" });
  expect(() => cq.completions()).toThrow(option);
  await expect(a.send({})).rejects.toMatchObject({ code: "VERBENA_NATIVE_OPTION" });
  const adopted = rig.native.verbs.adoptChannel(token);
  await channel.close();
  expect(adopted.tryRead()).toBeUndefined();
  await adopted.close();
  expect(() => rig.native.verbs.adoptChannel(token)).toThrow(
    expect.objectContaining({ code: "VERBENA_NATIVE_CLOSED" }),
  );
});

test("a thread is tied to processors and untied again; one that does not exist is refused with the errno", () => {
  const all = rig.native.threadAffinity();
  const [first = 0] = all;
  rig.native.setThreadAffinity([first]);
  expect(rig.native.threadAffinity()).toEqual([first]);
  rig.native.setThreadAffinity(all);
  expect(rig.native.threadAffinity()).toEqual(all);
  expect(() => rig.native.setThreadAffinity([1023])).toThrow(
    expect.objectContaining({ code: "VERBENA_NATIVE_SYSTEM", errno: 22, syscall: "sched_setaffinity" }),
  );
  expect(() => rig.native.setThreadAffinity([])).toThrow(expect.objectContaining({ code: "VERBENA_NATIVE_OPTION" }));
});

test.each(["exit", "close", "workerExit", "workers", "gc", "dropped", "block"])(
  "scenario %s of test/fixtures/rdma-lifetime.ts",
  (scenario) => {
    const { path, execArgv } = fixtureProgram("rdma-lifetime");
    const options = JSON.stringify(rig.optionsOfPeer);
    // process.exit() leaves V8's own memory as it is, and a leak check would report that; everything else is checked.
    const leaks = scenario === "exit" ? { ASAN_OPTIONS: `${process.env["ASAN_OPTIONS"] ?? ""}:detect_leaks=0` } : {};
    const args = ["--expose-gc", ...execArgv, path, rig.device, options, scenario];
    const done = spawnSync(process.execPath, args, {
      encoding: "utf8",
      timeout: 60_000,
      env: { ...process.env, ...leaks },
    });
    expect({ status: done.status, signal: done.signal, stderr: done.stderr }).toEqual({
      status: 0,
      signal: null,
      stderr: "",
    });
  },
  90_000,
);
