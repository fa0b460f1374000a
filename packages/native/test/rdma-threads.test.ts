import { spawnSync } from "node:child_process";
import { Worker } from "node:worker_threads";
import type { ChannelToken } from "../src/index.js";
import { fixtureProgram } from "./fixture-program.js";
import { Rig } from "./rig.js";

jest.setTimeout(120_000);

let rig: Rig;
beforeAll(async () => {
  rig = await Rig.start();
});
afterAll(() => rig.close());

interface Report {
  readonly seen: readonly { readonly cq: number; readonly wrIds: readonly number[] }[];
  readonly events: number;
}

/** A thread on the channel of `token`; resolves once it reads. */
async function startWorker(token: ChannelToken, onCount: (count: number) => void) {
  const { path, execArgv } = fixtureProgram("rdma-worker");
  const worker = new Worker(path, { workerData: { options: rig.options, token }, execArgv: [...execArgv] });
  const report = new Promise<Report>((resolve, reject) => {
    worker.on("error", reject);
    worker.on("message", (message: { readonly count?: number } & Partial<Report>) => {
      if (message.count !== undefined) onCount(message.count);
      if (message.seen !== undefined) resolve(message as Report);
    });
  });
  await new Promise((resolve) => worker.once("message", resolve));
  return {
    stop: (): Promise<Report> => {
      worker.postMessage("stop");
      return report;
    },
  };
}

test("four threads on one channel with eight queues: each event reaches one of them, each completion is seen once", async () => {
  const PER_QUEUE = 100;
  await using bench = await rig.open();
  const channel = await bench.context.createCompletionChannel();
  const queues = await Promise.all(Array.from({ length: 8 }, () => bench.queue({ channel })));
  const pairs = await Promise.all(queues.map(async (cq) => (await bench.pair("uc", cq))[0]));
  const token = structuredClone(channel.share());
  let counted = 0;
  let onCount = (): void => undefined;
  const workers = await Promise.all(
    Array.from({ length: 4 }, () =>
      startWorker(token, (count) => {
        counted += count;
        onCount();
      }),
    ),
  );
  for (const cq of queues) cq.arm();
  // In rounds, so that queues run empty and are armed again and again.
  for (let round = 0; round < PER_QUEUE / 4; round++) {
    for (const pair of pairs) pair.postSend([0, 1, 2, 3].map((i) => ({ wrId: round * 4 + i })));
    const wanted = (round + 1) * 4 * queues.length;
    await new Promise<void>((resolve) => {
      onCount = () => {
        if (counted >= wanted) resolve();
      };
      onCount();
    });
  }
  const reports = await Promise.all(workers.map((worker) => worker.stop()));
  for (const cq of queues) {
    const all = reports.flatMap(({ seen }) => seen.filter((one) => one.cq === cq.id).flatMap((one) => one.wrIds));
    expect([...all].sort((x, y) => x - y)).toEqual(Array.from({ length: PER_QUEUE }, (_, i) => i));
  }
  expect(reports.reduce((sum, { events }) => sum + events, 0)).toBeGreaterThanOrEqual(queues.length);
  // The credits came back here, although others took the completions.
  expect(pairs.map((pair) => pair.sendCredits)).toEqual(pairs.map(() => 64));
  // All threads have left: events come here again.
  queues[0]?.arm();
  pairs[0]?.postSend([{ wrId: 1 }]);
  expect(channel.tryRead()).toBe(queues[0]);
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

test.each(["exit", "close", "workerExit", "workers", "gc"])(
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
