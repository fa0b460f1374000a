import type { Message, SendRequest } from "../src/index.js";
import { loadBinding } from "../src/load-binding.js";
import { type Bench, Rig } from "./rig.js";
import { testOfSimulator } from "./test-of-simulator.js";

jest.setTimeout(60_000);

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

/** Polls until `count` completions have come: their numbers. */
async function polled(
  queue: { poll(): Iterable<{ readonly wrId: number }> },
  count: number,
): Promise<readonly number[]> {
  const ids: number[] = [];
  while (ids.length < count) {
    ids.push(...[...queue.poll()].map(({ wrId }) => wrId));
    await new Promise((resolve) => setImmediate(resolve));
  }
  return ids;
}

describe("fields of a request", () => {
  const remote = { opcode: "rdma-write", remoteAddress: 0n, rkey: 0 } as const;
  const bad: readonly (readonly [string, object])[] = [
    ["immediate data of more than 32 bits", { imm: 2 ** 32 }],
    ["negative immediate data", { imm: -1 }],
    ["a number that is no number", { wrId: 5n }],
    ["a remote address below zero", { ...remote, remoteAddress: -1n }],
    ["a remote address of more than 64 bits", { ...remote, remoteAddress: 2n ** 64n }],
    ["a remote address as a number", { ...remote, remoteAddress: 4096 }],
    ["a key of more than 32 bits", { ...remote, rkey: 2 ** 32 }],
    ["an operand of more than 64 bits", { ...remote, opcode: "fetch-and-add", add: 2n ** 64n }],
    ["data that is no segment", { data: null }],
  ];
  test.each(bad)("%s: refused, and nothing is posted", async (_, request) => {
    const [a] = await bench.pair("rc", await bench.queue());
    expect(() => a.postSend([request as SendRequest])).toThrow(coded("VERBENA_NATIVE_OPTION"));
    expect(a.sendCredits).toBe(64);
  });

  test.each([2 ** 32, 2 ** 32 + 8, Number.NaN, 1.5, -1, 8n])("a segment of %p bytes is refused", async (length) => {
    const [a] = await bench.pair("rc", await bench.queue());
    const region = await bench.allocate(4096);
    const data = { region, length: length as number };
    expect(() => a.postSend([{ data }])).toThrow(coded("VERBENA_NATIVE_OPTION"));
  });

  test.each([
    ["a queue pair number of more than 24 bits", { qpn: 2 ** 24, qkey: 0 }],
    ["a Q_Key of more than 32 bits", { qpn: 1, qkey: 2 ** 32 }],
  ])("%s is refused", async (_, to) => {
    const [a] = await bench.pair("ud", await bench.queue());
    const ah = await bench.pd.createAddressHandle(bench.toSelf);
    expect(() => a.postSend([{ to: { ah, ...to } }])).toThrow(coded("VERBENA_NATIVE_OPTION"));
  });

  test("adding a negative number subtracts", async () => {
    const [a] = await bench.pair("rc", await bench.queue());
    const [data, region] = [await bench.allocate(8), await bench.allocate(8)];
    const value = new BigUint64Array(region.bytes.buffer, region.bytes.byteOffset, 1);
    value[0] = 5n;
    await a.send({
      opcode: "fetch-and-add",
      data: { region: data },
      remoteAddress: region.address,
      rkey: region.rkey,
      add: -2n,
    });
    expect(value[0]).toBe(3n);
  });
});

describe("what belongs to another context", () => {
  let other: Bench;
  beforeEach(async () => {
    other = await rig.open();
  });
  afterEach(() => other.context.close());

  test("a region is refused, though it may have been the first of its context too", async () => {
    const [a] = await bench.pair("rc", await bench.queue());
    await bench.allocate(64);
    const region = await other.allocate(64);
    expect(() => a.postSend([{ data: { region } }])).toThrow(
      coded("VERBENA_NATIVE_POST", { message: expect.stringContaining("of another context") as string }),
    );
    expect(a.sendCredits).toBe(64);
  });

  test("completion queues, shared receive queues and channels are refused", async () => {
    const [sendCq, foreign] = [await bench.queue(), await other.queue()];
    const srq = await other.pd.createSharedReceiveQueue({ maxWr: 4 });
    const channel = await other.context.createCompletionChannel();
    const refused = coded("VERBENA_NATIVE_OPTION", { message: expect.stringContaining("context") as string });
    await expect(bench.pd.createQueuePair({ type: "rc", sendCq: foreign })).rejects.toThrow(refused);
    await expect(bench.pd.createQueuePair({ type: "rc", sendCq, recvCq: foreign })).rejects.toThrow(refused);
    await expect(bench.pd.createQueuePair({ type: "rc", sendCq, srq })).rejects.toThrow(refused);
    await expect(bench.queue({ channel })).rejects.toThrow(refused);
  });
});

test("only what memory really is can be registered: a view would be a copy", async () => {
  for (const buffer of [Buffer.alloc(64), new Uint8Array(64), null, 5]) {
    const register = bench.pd.register(buffer as unknown as ArrayBuffer);
    await expect(register).rejects.toThrow(coded("VERBENA_NATIVE_OPTION"));
  }
});

test("poll() gives what came while only send() was waited for", async () => {
  const cq = await bench.queue();
  const [a, b] = await bench.pair("rc", cq);
  b.postReceive([{ wrId: 7 }]);
  await a.send({ wrId: 8 });
  expect(await polled(cq, 1)).toEqual([7]);
});

testOfSimulator(
  "a real device takes its time: when everything has come could not be told",
  "poll() is empty only when the queue is, however many completions were for send()",
  async () => {
    const cq = await bench.queue({ batchSize: 2 });
    const [a, b] = await bench.pair("uc", cq);
    const sends = Array.from({ length: 4 }, () => a.send({}));
    b.postReceive([{ wrId: 8 }]);
    a.postSend([{ wrId: 9 }]);
    const ids: number[] = [];
    for (let batch = cq.poll(); batch.length > 0; batch = cq.poll()) ids.push(...[...batch].map(({ wrId }) => wrId));
    expect(ids.sort((x, y) => x - y)).toEqual([8, 9]);
    await Promise.all(sends);
  },
);

test("completions of a queue pair that was reset do not hide those behind them from a group", async () => {
  await using group = rig.native.verbs.openChannelGroup();
  const channel = await bench.context.createCompletionChannel();
  const cq = await bench.queue({ channel, batchSize: 4 });
  const [gone] = await bench.pair("rc", cq);
  const [a, b] = await bench.pair("rc", cq);
  // Both ends stop: three completions of a queue pair that will have forgotten them.
  await gone.toError();
  gone.postReceive([{}, {}, {}]);
  await gone.toReset();
  b.postReceive(Array.from({ length: 6 }, (_, i) => ({ wrId: i })));
  a.postSend(Array.from({ length: 6 }, (_, i) => ({ wrId: 6 + i })));
  group.add(channel);
  const ids: number[] = [];
  for await (const batch of group.completions()) {
    ids.push(...[...batch].map(({ wrId }) => wrId));
    if (ids.length === 12) break;
  }
  expect(ids.sort((x, y) => x - y)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
});

describe("a channel that has a reader", () => {
  test("send() is refused before it is posted, and works when the reader has left", async () => {
    const channel = await bench.context.createCompletionChannel();
    const [a, b] = await bench.pair("rc", await bench.queue({ channel }));
    const slice = (await bench.allocate(64)).slice();
    const events = channel.events();
    b.postReceive([{ data: (await bench.allocate(64)).slice() }]);
    await expect(a.send({ data: slice })).rejects.toThrow(coded("VERBENA_NATIVE_BUSY"));
    expect([slice.isLent, a.sendCredits]).toEqual([false, 64]);
    await events.return?.();
    expect(await a.send({ data: slice })).toMatchObject({ status: "success" });
  });

  test("completions() that was refused can be asked for again", async () => {
    const channel = await bench.context.createCompletionChannel();
    const cq = await bench.queue({ channel });
    const events = channel.events();
    expect(() => cq.completions()).toThrow(coded("VERBENA_NATIVE_BUSY"));
    await events.return?.();
    await expect(cq.completions().return?.()).resolves.toEqual({ done: true, value: undefined });
  });

  test("the return() of a reader that has gone is nothing to the next", async () => {
    const channel = await bench.context.createCompletionChannel();
    const cq = await bench.queue({ channel });
    const [a, b] = await bench.pair("rc", cq);
    const first = channel.events();
    await first.return?.();
    const second = channel.events();
    await first.return?.();
    cq.arm();
    b.postReceive([{}]);
    a.postSend([{}]);
    expect((await second.next()).value).toBe(cq);
  });

  test("tryRead() gives the event that the reader before has left behind", async () => {
    const channel = await bench.context.createCompletionChannel();
    const queues = [await bench.queue({ channel }), await bench.queue({ channel })];
    const events = channel.events();
    const next = events.next();
    const pairs = [];
    for (const cq of queues) pairs.push(await bench.pair("rc", cq));
    // In one turn of the loop, so that both events are read at once.
    for (const cq of queues) cq.arm();
    for (const [a, b] of pairs) {
      b.postReceive([{}]);
      a.postSend([{}]);
    }
    await Promise.all(queues.map((cq) => polled(cq, 2)));
    const { value: first } = await next;
    await events.return?.();
    const rest = queues.filter((cq) => cq !== first);
    expect(channel.tryRead()).toBe(rest[0]);
  });
});

test("wait() with a time beyond that of a timer of Node waits", async () => {
  await using group = rig.native.verbs.openChannelGroup();
  for (const timeoutMs of [2 ** 31, Number.POSITIVE_INFINITY]) {
    const abort = new AbortController();
    const wait = group.wait({ timeoutMs, signal: abort.signal });
    const timer = new Promise((resolve) => setTimeout(resolve, 20, "waits"));
    expect(await Promise.race([wait, timer])).toBe("waits");
    abort.abort(new Error("enough"));
    await expect(wait).rejects.toThrow("enough");
  }
  await expect(group.wait({ timeoutMs: "5" as unknown as number })).rejects.toThrow(coded("VERBENA_NATIVE_OPTION"));
});

describe("messages()", () => {
  test("two pulls at once: the second is refused, and the first gets its message", async () => {
    const [a, b] = await bench.pair("rc", await bench.queue());
    const messages = b.messages({ size: 64 });
    const first = messages.next();
    await expect(messages.next()).rejects.toThrow(coded("VERBENA_NATIVE_BUSY"));
    await a.send({ data: (await bench.allocate(8)).slice() });
    expect(((await first) as IteratorYieldResult<Message>).value.bytes).toHaveLength(8);
  });

  test("a ring that could not begin leaves the way free for another", async () => {
    const pair = await bench.pd.createQueuePair({ type: "ud", sendCq: await bench.queue() });
    const region = await bench.allocate(4096);
    // Receives cannot be posted in RESET.
    expect(() => pair.messages({ size: 24, count: 2, region })).toThrow(coded("VERBENA_NATIVE_POST"));
    await expect(pair.messages({ size: 24 }).next()).rejects.toThrow(coded("VERBENA_NATIVE_POST"));
    await pair.toInit();
    await expect(pair.messages({ size: 24, count: 2, region }).return?.()).resolves.toMatchObject({ done: true });
  });

  test("memory of its own is registered as long as its queue pair is there", async () => {
    const cq = await bench.queue();
    const [a, b] = await bench.pair("rc", cq);
    const messages = b.messages({ size: 64, count: 1 });
    const next = messages.next();
    await a.send({ data: (await bench.allocate(8)).slice() });
    const { bytes } = ((await next) as IteratorYieldResult<Message>).value;
    expect(bytes).toHaveLength(8);
    const registered = (): number => loadBinding().liveVerbsObjects()["memoryRegions"] ?? 0;
    const before = registered();
    await b.close();
    expect(registered()).toBe(before - 1);
    expect(bytes[0]).toBe(0);
  });
});
