import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import type { DeviceEvent } from "../src/index.js";
import { loadBinding } from "../src/load-binding.js";
import { CqLedger } from "../src/rdma/cq-ledger.js";
import { fixtureProgram } from "./fixture-program.js";
import { type Bench, often, Rig } from "./rig.js";
import { testOfSimulator } from "./test-of-simulator.js";

jest.setTimeout(120_000);

let rig: Rig;
let bench: Bench;
beforeAll(async () => {
  rig = await Rig.start();
});
afterAll(() => rig.close());
beforeEach(async () => {
  bench = await rig.open();
});
afterEach(() => bench.context.close());

const coded = (code: string, more: object = {}): Error => expect.objectContaining({ code, ...more }) as Error;

/**
 * What test/fixtures/rdma-refusals.ts prints. `settings` are of the simulated device, `limits` are options of prlimit, and maybe the program
 * that it runs first.
 */
function refusal(scenario: string, settings: Readonly<Record<string, string>>, ...limits: readonly string[]): unknown {
  const { path, execArgv } = fixtureProgram("rdma-refusals");
  const args = [...execArgv, path, rig.device, JSON.stringify(rig.optionsOfPeer), scenario];
  // process.env of a test is not the one that C reads; and a process joins a fabric as one node.
  // Not by a shell: those at hand do not start under ThreadSanitizer's runtime.
  const done = spawnSync("prlimit", [...limits, process.execPath, ...args], {
    encoding: "utf8",
    env: { ...process.env, ...settings },
    timeout: 60_000,
  });
  expect(done.stderr).toBe("");
  return JSON.parse(done.stdout);
}

test("the device tells its limits", () => {
  const limits = bench.context.limits();
  expect(limits.numCompVectors).toBeGreaterThanOrEqual(1);
  expect(limits.maxCqe).toBeGreaterThanOrEqual(512);
  expect(limits.maxQpWr).toBeGreaterThanOrEqual(64);
  if (rig.isSimulated) expect(limits).toMatchObject({ numCompVectors: 4, maxSge: 32, atomics: "hca" });
});

for (const [name, errno, hint] of [
  ["EMFILE", 24, /ulimit -n/],
  ["ENOMEM", 12, /resources/],
] as const) {
  testOfSimulator(
    "a real device cannot be told to fail",
    `no channel can be made: ${name}, its errno and what to do`,
    () => {
      expect(refusal("channel", { FABRICSIM_CHANNEL_ERRNO: String(errno) })).toEqual({
        code: "VERBENA_NATIVE_CREATE",
        errno,
        syscall: "ibv_create_comp_channel",
        hint: expect.stringMatching(hint) as unknown,
      });
    },
  );
}

test("the process's limit of open files: EMFILE after some channels, and everything can be closed", () => {
  expect(refusal("descriptors", {}, "--nofile=48")).toMatchObject({
    code: "VERBENA_NATIVE_CREATE",
    errno: 24,
    isAfterSome: true,
  });
});

test("no more memory may be locked: ENOMEM, with memlock as the hint, and room again when some was given back", () => {
  // The kernel does not apply the limit to who has CAP_IPC_LOCK, as root has.
  const asRoot = process.getuid?.() === 0 ? ["setpriv", "--inh-caps=-ipc_lock", "--bounding-set=-ipc_lock"] : [];
  const limits = rig.isSimulated ? [] : ["--memlock=65536", ...asRoot];
  expect(refusal("memory", { FABRICSIM_MEMLOCK: "65536" }, ...limits)).toEqual({
    code: "VERBENA_NATIVE_MEMORY",
    errno: 12,
    syscall: "ibv_reg_mr",
    hint: expect.stringContaining("ulimit -l") as unknown,
  });
});

test("access that the architecture forbids is refused by the device with its errno", async () => {
  await expect(bench.pd.allocate(64, { access: ["remote-write"] })).rejects.toMatchObject({
    code: "VERBENA_NATIVE_MEMORY",
    errno: 22,
  });
});

test("a completion vector beyond the device's is refused; auto spreads queues evenly", async () => {
  const { numCompVectors } = bench.context.limits();
  await expect(bench.queue({ vector: numCompVectors })).rejects.toMatchObject({ code: "VERBENA_NATIVE_OPTION" });
  await expect(bench.queue({ vector: -1 })).rejects.toMatchObject({ code: "VERBENA_NATIVE_OPTION" });
  const queues = await Promise.all(Array.from({ length: 2 * numCompVectors }, () => bench.queue()));
  const used = queues.map(({ vector }) => vector);
  for (let i = 0; i < numCompVectors; i++) expect(used.filter((vector) => vector === i)).toHaveLength(2);
  expect((await bench.queue({ vector: numCompVectors - 1 })).vector).toBe(numCompVectors - 1);
});

test("a queue pair that could overrun a completion queue is refused, and fits once there is room", async () => {
  const cq = await bench.queue({ depth: 100 });
  // The device may round the depth up.
  const half = Math.floor(cq.depth / 2);
  const caps = { maxSendWr: half, maxRecvWr: cq.depth - half };
  const pair = await bench.pd.createQueuePair({ type: "rc", sendCq: cq, ...caps });
  expect(cq.reserved).toBe(cq.depth);
  const another = bench.pd.createQueuePair({ type: "rc", sendCq: cq, maxSendWr: 1, maxRecvWr: 0 });
  await expect(another).rejects.toMatchObject({
    code: "VERBENA_NATIVE_CQ_OVERRUN",
    details: { depth: cq.depth, wanted: cq.depth + 1 },
  });
  await expect(cq.resize(cq.depth - 1)).rejects.toMatchObject({ code: "VERBENA_NATIVE_CQ_OVERRUN" });
  await cq.resize(cq.depth + 2);
  const second = await bench.pd.createQueuePair({ type: "rc", sendCq: cq, maxSendWr: 1, maxRecvWr: 1 });
  expect(cq.reserved).toBe(caps.maxSendWr + caps.maxRecvWr + 2);
  await Promise.all([pair.close(), second.close()]);
  expect(cq.reserved).toBe(0);
});

testOfSimulator(
  "devices differ in what they do about an overrun",
  "a completion queue that is overrun all the same, its ledger set aside: cq-err, then qp-fatal of its queue pairs, and all can be closed",
  async () => {
    const check = jest.spyOn(CqLedger.prototype, "check").mockReturnValue(undefined);
    try {
      const cq = await bench.queue({ depth: 4 });
      const [a, b] = await bench.pair("uc", cq, { maxSendWr: 16, maxRecvWr: 1 });
      const events = bench.context.events();
      a.postSend(Array.from({ length: 8 }, (_, wrId) => ({ wrId })));
      const seen: DeviceEvent[] = [];
      while (seen.length < 3) {
        const { value } = await events.next();
        if ((value as DeviceEvent).type !== "comm-est") seen.push(value as DeviceEvent);
      }
      expect(seen[0]).toEqual({ type: "cq-err", cq: cq.id });
      expect(new Set(seen.slice(1))).toEqual(new Set([a, b].map(({ qpn }) => ({ type: "qp-fatal", qpn }))));
      expect((await a.query()).state).toBe("error");
      // What it held is there; what came when it was full is lost.
      expect([...cq.poll()].map(({ wrId }) => wrId)).toEqual([0, 1, 2, 3]);
    } finally {
      check.mockRestore();
    }
  },
);

test("the wrong step between states: the device's errno, and the state is as it was", async () => {
  const pair = await bench.pd.createQueuePair({ type: "rc", sendCq: await bench.queue() });
  await expect(pair.toRts()).rejects.toMatchObject({
    code: "VERBENA_NATIVE_MODIFY",
    errno: 22,
    syscall: "ibv_modify_qp",
  });
  await expect(pair.toRtr({})).rejects.toMatchObject({ code: "VERBENA_NATIVE_OPTION" });
  await expect(pair.modify({ port: 256 })).rejects.toMatchObject({ code: "VERBENA_NATIVE_OPTION" });
  expect(() => pair.postSend([{}])).toThrow(coded("VERBENA_NATIVE_POST", { errno: 22 }));
  expect((await pair.query()).state).toBe("reset");
});

test("the device gives attributes back as they were set", async () => {
  const [a, b] = await bench.pair("rc", await bench.queue(), { maxSendWr: 10 });
  expect(await a.query()).toMatchObject({
    state: "rts",
    destQpn: b.qpn,
    access: ["local-write", "remote-write", "remote-read", "remote-atomic"],
    address: bench.toSelf,
    pathMtu: bench.context.queryPort(1).activeMtu,
    timeout: 8,
    retryCnt: 1,
    rnrRetry: 7,
  });
  expect(a.caps).toMatchObject({ maxSendWr: 10, maxRecvWr: 64, maxSendSge: 1 });
});

test("a queue pair without port or partition in reach is refused", async () => {
  const pair = await bench.pd.createQueuePair({ type: "ud", sendCq: await bench.queue() });
  await expect(pair.toInit({ port: 99 })).rejects.toMatchObject({ code: "VERBENA_NATIVE_MODIFY", errno: 22 });
  await expect(bench.pd.createAddressHandle({ port: 99, dlid: 1 })).rejects.toMatchObject({
    code: "VERBENA_NATIVE_CREATE",
    errno: 22,
    syscall: "ibv_create_ah",
  });
});

test("datagrams need an address handle, which cannot be used once it is closed", async () => {
  const region = await bench.allocate(64);
  const [a] = await bench.pair("ud", await bench.queue());
  expect(() => a.postSend([{ data: region.slice() }])).toThrow(coded("VERBENA_NATIVE_OPTION"));
  const ah = await bench.pd.createAddressHandle(bench.toSelf);
  await ah.close();
  expect(() => a.postSend([{ to: { ah, qpn: 1, qkey: 0 } }])).toThrow(coded("VERBENA_NATIVE_POST"));
});

test("segments beyond their region are refused before the device sees them", async () => {
  const region = await bench.allocate(4096);
  const [a] = await bench.pair("rc", await bench.queue());
  for (const segment of [
    { region, offset: 4090, length: 7 },
    { region, offset: -1, length: 1 },
    { region, offset: 0.5, length: 1 },
    { region, offset: Number.NaN, length: 1 },
    { region, offset: 5000 },
  ]) {
    expect(() => a.postSend([{ data: segment }])).toThrow(coded("VERBENA_NATIVE_POST"));
  }
  expect(() => region.slice(4090, 7)).toThrow(coded("VERBENA_NATIVE_OPTION"));
  expect(a.sendCredits).toBe(64);
});

describe("memory of the program", () => {
  test.each([
    ["an ArrayBuffer", () => new ArrayBuffer(8192)],
    ["a SharedArrayBuffer", () => new SharedArrayBuffer(8192)],
  ])("%s is registered in place", async (_name, make) => {
    const buffer = make();
    const cq = await bench.queue();
    const region = await bench.pd.register(buffer, { offset: 4096, length: 64 });
    const [a, b] = await bench.pair("rc", cq);
    Buffer.from("in place").copy(new Uint8Array(buffer, 4096));
    b.postReceive([{ data: region.slice(32, 32) }]);
    await a.send({ data: region.slice(0, 8) });
    expect(Buffer.from(new Uint8Array(buffer, 4096 + 32, 8)).toString()).toBe("in place");
  });

  test("it may not be handed to another thread while the device reaches it", async () => {
    const buffer = new ArrayBuffer(4096);
    await bench.pd.register(buffer);
    try {
      structuredClone(buffer, { transfer: [buffer] });
    } catch {
      // Newer versions of Node refuse; older ones copy.
    }
    expect(buffer.byteLength).toBe(4096);
  });

  test("buffers that can change their size are refused", async () => {
    const Resizable = ArrayBuffer as unknown as new (length: number, options: object) => ArrayBuffer;
    await expect(bench.pd.register(new Resizable(64, { maxByteLength: 128 }))).rejects.toMatchObject({
      code: "VERBENA_NATIVE_OPTION",
    });
    await expect(bench.pd.register(new ArrayBuffer(64), { offset: 60, length: 8 })).rejects.toMatchObject({
      code: "VERBENA_NATIVE_OPTION",
    });
  });

  test("allocated memory begins on a page, is zero, and stays readable after it was closed", async () => {
    const region = await bench.pd.allocate(5000);
    expect(region.address % 4096n).toBe(0n);
    expect(region.bytes.every((byte) => byte === 0)).toBe(true);
    region.bytes[4999] = 7;
    await region.close();
    await region.close();
    expect(region.bytes[4999]).toBe(7);
  });

  test("huge pages that were not reserved: ENOMEM and how to reserve them", async () => {
    try {
      await (await bench.pd.allocate(2 ** 21, { hugePages: true })).close();
    } catch (error) {
      expect(error).toMatchObject({
        code: "VERBENA_NATIVE_MEMORY",
        syscall: "mmap",
        hint: expect.stringContaining("nr_hugepages") as unknown,
      });
    }
  });
});

const CYCLES = often(1000, 100);

test(`${CYCLES} cycles of opening and closing everything leave nothing behind`, async () => {
  const descriptors = (): number => readdirSync("/proc/self/fd").length;
  const cycle = async (): Promise<void> => {
    await using own = await rig.open();
    const channel = await own.context.createCompletionChannel();
    const cq = await own.queue({ channel, depth: 64 });
    const region = await own.allocate(4096);
    const [a, b] = await own.pair("rc", cq, { maxSendWr: 8, maxRecvWr: 8 });
    await own.pd.createAddressHandle(own.toSelf);
    b.postReceive([{ data: region.slice(0, 8) }]);
    await a.send({ data: region.slice(8, 8) });
  };
  for (let i = 0; i < CYCLES / 20; i++) await cycle();
  const [fds, rss, live] = [descriptors(), process.memoryUsage.rss(), loadBinding().liveVerbsObjects()];
  for (let i = 0; i < CYCLES; i++) await cycle();
  expect(descriptors()).toBeLessThanOrEqual(fds);
  expect(loadBinding().liveVerbsObjects()).toEqual(live);
  // The collector's share; a leak of one page a cycle would show. A sanitizer keeps 256 MiB of what was freed.
  const slack = process.env["ASAN_OPTIONS"] === undefined && process.env["TSAN_OPTIONS"] === undefined ? 64 : 512;
  expect(process.memoryUsage.rss() - rss).toBeLessThan(slack * 2 ** 20);
});
