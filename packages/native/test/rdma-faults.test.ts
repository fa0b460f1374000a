import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  libfabricsimPath,
  type RunningFabric,
  SimControlClient,
  startFabricThread,
  twoLevel,
} from "@verbena/fabric-sim";
import type { VerbenaError } from "@verbena/ib";
import { type CompletionBatch, type CompletionQueue, type Native, openNative } from "../src/index.js";
import { Bench } from "./rig.js";
import { take } from "./support.js";

jest.setTimeout(60_000);

/** What reading a channel gives whose device has gone. */
const HUNG_UP = { code: "VERBENA_NATIVE_CHANNEL", errno: 5, syscall: "ibv_get_cq_event" };

// Of the simulator only: the link and the device are taken away.
let dir: string;
let fabric: RunningFabric;
let native: Native;
let bench: Bench;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), "verbena-faults-"));
  fabric = await startFabricThread({ topology: twoLevel({ hosts: 2 }), dir: join(dir, "fabric") });
  const library = join(dir, "libfabricsim.so");
  copyFileSync(libfabricsimPath(), library);
  native = openNative({ fabric: { dir: fabric.dir, node: "H1", library } });
  bench = await Bench.of(native.verbs.open("sim0"));
});
afterEach(async () => {
  await native.close();
  await fabric.close();
  rmSync(dir, { recursive: true });
});

test("the port goes down: an event, and the queue pairs are still there when it is up again", async () => {
  const control = await SimControlClient.connect(fabric.dir);
  const region = await bench.allocate(64);
  const [a, b] = await bench.pair("rc", await bench.queue());
  const events = bench.context.events();
  await control.request({ op: "link", action: "down", end: "H1" });
  expect(await take(events, 1)).toEqual([{ type: "port-err", port: 1 }]);
  await control.request({ op: "link", action: "up", end: "H1" });
  for (;;) {
    const [event] = await take(events, 1);
    if (event?.type === "port-active") break;
  }
  await control.close();
  b.postReceive([{ wrId: 1, data: region.slice(0, 8) }]);
  expect(await a.send({ wrId: 2, data: region.slice(8, 8) })).toMatchObject({ wrId: 2, status: "success" });
});

/** Until the queue ends or fails: a completion of what was under way may come first. */
async function readToTheEnd(cq: CompletionQueue): Promise<void> {
  for await (const _ of cq.completions());
}

test("the device is removed: readers hear of it, waiting sends end, and everything can be closed", async () => {
  const channel = await bench.context.createCompletionChannel();
  const cq = await bench.queue({ channel });
  const region = await bench.allocate(64);
  const [a] = await bench.pair("rc", cq);
  const events = bench.context.events();
  const waiting = Promise.allSettled([readToTheEnd(cq)]);
  const sending = Promise.allSettled([a.send({ data: region.slice(0, 8) })]);
  await fabric.close();
  const seen: string[] = [];
  while (!seen.includes("device-fatal")) {
    const [event] = await take(events, 1);
    if (event === undefined) throw new Error("the events ended without device-fatal");
    seen.push(event.type);
  }
  await bench.context.close();
  await bench.context.close();
  expect(await sending).toMatchObject([
    { status: "rejected", reason: { code: expect.stringMatching(/^VERBENA_NATIVE_(COMPLETION|CLOSED)$/) as unknown } },
  ]);
  expect(await waiting).toMatchObject([{ status: "rejected", reason: HUNG_UP }]);
});

describe("the device is removed: its completion channels hang up", () => {
  test("every way to read one tells what had come, then a coded error with the errno; no more are made", async () => {
    const [first, second] = [
      await bench.context.createCompletionChannel(),
      await bench.context.createCompletionChannel(),
    ];
    const cq = await bench.queue({ channel: first });
    const region = await bench.allocate(64);
    const [, b] = await bench.pair("rc", cq);
    b.postReceive([{ wrId: 7, data: region.slice(0, 8) }]);
    const events = second.events();
    const waiting = Promise.allSettled([events.next()]);
    cq.arm();
    await fabric.close();
    expect(await waiting).toMatchObject([{ status: "rejected", reason: HUNG_UP }]);
    expect(first.tryRead()).toBe(cq);
    expect(cq.poll().at(0)).toMatchObject({ wrId: 7, status: "work-request-flushed" });
    expect(() => first.tryRead()).toThrow(expect.objectContaining(HUNG_UP));
    await expect(bench.context.createCompletionChannel()).rejects.toMatchObject({
      code: "VERBENA_NATIVE_CREATE",
      errno: 5,
      syscall: "ibv_create_comp_channel",
    });
  });

  test("a group's wait() gives the events that are left, then names each channel that has gone, and has none in the end", async () => {
    const group = native.verbs.openChannelGroup();
    const channels = await Promise.all([0, 1].map(() => bench.context.createCompletionChannel()));
    for (const [priority, channel] of channels.entries()) group.add(channel, { priority });
    const cq = await bench.queue({ channel: channels[0]! });
    const region = await bench.allocate(64);
    const [, b] = await bench.pair("rc", cq);
    b.postReceive([{ wrId: 7, data: region.slice(0, 8) }]);
    cq.arm();
    const pending = group.wait();
    await fabric.close();
    expect(await pending).toMatchObject([{ cq, priority: 0 }]);
    const gone: unknown[] = [];
    for (let i = 0; i < 2; i++) {
      const [outcome] = await Promise.allSettled([group.wait()]);
      expect(outcome).toMatchObject({ status: "rejected", reason: HUNG_UP });
      gone.push(((outcome as PromiseRejectedResult).reason as VerbenaError).details["channel"]);
    }
    expect(new Set(gone)).toEqual(new Set(channels));
    expect(await group.wait({ timeoutMs: 0 })).toEqual([]);
    await group.close();
  });

  test("a group's completions() gives what was flushed, then the error", async () => {
    const group = native.verbs.openChannelGroup();
    const channel = await bench.context.createCompletionChannel();
    group.add(channel);
    const cq = await bench.queue({ channel });
    const region = await bench.allocate(64);
    const [, b] = await bench.pair("rc", cq);
    b.postReceive([{ wrId: 7, data: region.slice(0, 8) }]);
    const batches = group.completions();
    const first = batches.next();
    await fabric.close();
    expect([...((await first).value as CompletionBatch)]).toMatchObject([{ wrId: 7, status: "work-request-flushed" }]);
    await expect(batches.next()).rejects.toMatchObject({ ...HUNG_UP, details: { channel } });
    await group.close();
  });
});

test("what is made after the device has gone is refused with an errno, not left hanging", async () => {
  const events = bench.context.events();
  await fabric.close();
  await take(events, 1);
  const refused = await Promise.allSettled([bench.allocate(64)]);
  expect(refused).toMatchObject([
    { status: "rejected", reason: { code: "VERBENA_NATIVE_MEMORY", errno: expect.any(Number) as unknown } },
  ]);
});
