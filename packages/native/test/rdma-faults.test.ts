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
import { type Native, openNative } from "../src/index.js";
import { Bench } from "./rig.js";
import { take } from "./support.js";

jest.setTimeout(60_000);

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
  bench = new Bench(native.verbs.open("sim0"));
});
afterEach(async () => {
  await native.close();
  await fabric.close();
  rmSync(dir, { recursive: true });
});

test("the port goes down: an event, and the queue pairs are still there when it is up again", async () => {
  const control = await SimControlClient.connect(fabric.dir);
  const region = await bench.allocate(64);
  const [a, b] = bench.pair("rc", bench.queue());
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

test("the device is removed: readers hear of it, waiting sends end, and everything can be closed", async () => {
  const channel = bench.context.createCompletionChannel();
  const cq = bench.queue({ channel });
  const region = await bench.allocate(64);
  const [a] = bench.pair("rc", cq);
  const events = bench.context.events();
  const waiting = cq.completions().next();
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
  expect((await waiting).done).toBe(true);
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
