import { createHook } from "node:async_hooks";
import type { QueuePair } from "../src/index.js";
import { type Bench, Rig } from "./rig.js";

jest.setTimeout(60_000);

// Calls into the kernel may take milliseconds: they run on the thread pool, in order, and closing waits for them.
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

/** Calls on the thread pool that `act` makes. */
async function callsOnPool(act: () => unknown): Promise<number> {
  let count = 0;
  const hook = createHook({
    init(_id, type) {
      if (type === "verbena:verbs") count++;
    },
  }).enable();
  try {
    await act();
  } finally {
    hook.disable();
  }
  return count;
}

test("what makes, changes, asks or destroys something runs on the thread pool; traffic does not", async () => {
  const { context, pd } = bench;
  const channel = await context.createCompletionChannel();
  const cq = await bench.queue({ channel });
  const srq = await pd.createSharedReceiveQueue({ maxWr: 4 });
  const region = await bench.allocate(64);
  const ah = await pd.createAddressHandle(bench.toSelf);
  const [a, b] = await bench.pair("uc", cq);
  const slow: Readonly<Record<string, () => Promise<unknown>>> = {
    createProtectionDomain: () => context.createProtectionDomain(),
    createCompletionChannel: () => context.createCompletionChannel(),
    createCompletionQueue: () => bench.queue(),
    createSharedReceiveQueue: () => pd.createSharedReceiveQueue({ maxWr: 4 }),
    createQueuePair: () => pd.createQueuePair({ type: "ud", sendCq: cq }),
    createAddressHandle: () => pd.createAddressHandle(bench.toSelf),
    allocate: () => pd.allocate(64),
    register: () => pd.register(new ArrayBuffer(64)),
    modify: () => a.toError(),
    query: () => a.query(),
    resize: () => cq.resize(1024),
    setLimit: () => srq.setLimit(0),
    closeRegion: () => region.close(),
    closeAddressHandle: () => ah.close(),
    closeSharedReceiveQueue: () => srq.close(),
  };
  for (const [name, act] of Object.entries(slow)) expect([name, await callsOnPool(act)]).toEqual([name, 1]);
  const traffic = (): void => {
    cq.arm();
    b.postSend([{ wrId: 1 }]);
    while (cq.poll().length === 0);
    channel.tryRead();
    expect(b.sendCredits).toBe(64);
  };
  expect(await callsOnPool(traffic)).toBe(0);
});

test("changes of a queue pair are made in the order in which they were asked for, with nobody waiting between", async () => {
  const cq = await bench.queue();
  const [a, b] = await Promise.all([0, 1].map(() => bench.pd.createQueuePair({ type: "rc", sendCq: cq })));
  const done: string[] = [];
  const step = (name: string, call: Promise<void>): Promise<void> => call.then(() => void done.push(name));
  const connect = (own: QueuePair, peer: QueuePair): readonly Promise<void>[] => [
    step("init", own.toInit()),
    step("rtr", own.toRtr({ destQpn: peer.qpn, address: bench.toSelf })),
    step("rts", own.toRts()),
  ];
  const changes = connect(a!, b!);
  expect((await a!.query()).state).toBe("rts");
  await Promise.all(changes);
  expect(done).toEqual(["init", "rtr", "rts"]);
  await Promise.all(connect(b!, a!));
  await bench.pd.close();
});

test("a change that fails does not keep the next from being made", async () => {
  const pair = await bench.pd.createQueuePair({ type: "ud", sendCq: await bench.queue() });
  const refused = pair.toRts();
  const next = pair.toInit();
  await expect(refused).rejects.toMatchObject({ code: "VERBENA_NATIVE_MODIFY", errno: 22 });
  await next;
  expect((await pair.query()).state).toBe("init");
});

test("closing waits for calls under way: what was being made is destroyed again and its promise rejects", async () => {
  const cq = await bench.queue();
  const making = [
    bench.pd.createQueuePair({ type: "rc", sendCq: cq }),
    bench.pd.createAddressHandle(bench.toSelf),
    bench.pd.createSharedReceiveQueue({ maxWr: 4 }),
    bench.pd.allocate(1 << 20),
    bench.context.createCompletionChannel(),
    bench.queue(),
  ];
  const closed = bench.context.close();
  for (const result of await Promise.allSettled(making)) {
    expect(result).toMatchObject({ status: "rejected", reason: { code: "VERBENA_NATIVE_CLOSED" } });
  }
  await closed;
  expect(cq.reserved).toBe(0);
});

test("closing comes after the changes that were asked for before it", async () => {
  const pair = await bench.pd.createQueuePair({ type: "ud", sendCq: await bench.queue() });
  const changes = [pair.toInit(), pair.toRtr(), pair.toRts()];
  const closed = pair.close();
  expect(await Promise.all(changes)).toEqual([undefined, undefined, undefined]);
  await closed;
  await expect(pair.toError()).rejects.toMatchObject({ code: "VERBENA_NATIVE_CLOSED" });
});

test("queue pairs made at the same time cannot overrun a completion queue together", async () => {
  const cq = await bench.queue({ depth: 100 });
  const half = { type: "rc", sendCq: cq, maxSendWr: Math.floor(cq.depth / 2) + 1, maxRecvWr: 0 } as const;
  const results = await Promise.allSettled([bench.pd.createQueuePair(half), bench.pd.createQueuePair(half)]);
  expect(results).toMatchObject([
    { status: "fulfilled" },
    { status: "rejected", reason: { code: "VERBENA_NATIVE_CQ_OVERRUN" } },
  ]);
  // A refusal by the device gives back what was booked.
  const reserved = cq.reserved;
  const tooWide = { type: "rc", sendCq: cq, maxSendWr: 1, maxRecvWr: 0, maxSendSge: 1024 } as const;
  await expect(bench.pd.createQueuePair(tooWide)).rejects.toMatchObject({ code: "VERBENA_NATIVE_CREATE", errno: 22 });
  expect(cq.reserved).toBe(reserved);
});

test("memory stays where it is until the device has let go of it", async () => {
  const region = await bench.pd.register(new ArrayBuffer(1 << 20));
  const closing = region.close();
  expect(region.bytes.length).toBe(1 << 20);
  await closing;
  await region.close();
});
