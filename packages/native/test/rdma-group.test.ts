import type { CompletionBatch, QueuePair } from "../src/index.js";
import { OpenChannelGroup } from "../src/rdma/channel-group.js";
import { OpenCompletionChannel } from "../src/rdma/completion-channel.js";
import { TurnBudget } from "../src/rdma/turn-budget.js";
import { nextEvent } from "./next-event.js";
import { type Bench, Rig } from "./rig.js";

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

/** Channels with a queue and a sender each, of the priorities given. */
function channels(count: number, options: Partial<Parameters<Bench["queue"]>[0]> = {}) {
  const make = async () => {
    const channel = await bench.context.createCompletionChannel();
    const cq = await bench.queue({ channel, ...options });
    return { channel, cq, pair: (await bench.pair("uc", cq, { maxSendWr: 128, maxRecvWr: 8 }))[0] };
  };
  return Promise.all(Array.from({ length: count }, make));
}

const send = (pair: QueuePair, count: number): void =>
  pair.postSend(Array.from({ length: count }, (_, wrId) => ({ wrId })));

const batchOf = (result: IteratorResult<CompletionBatch>): CompletionBatch => result.value as CompletionBatch;

test("wait() tells the events of any channel, the most urgent first", async () => {
  await using group = rig.native.verbs.openChannelGroup();
  const list = await channels(3);
  for (const [i, { channel }] of list.entries()) group.add(channel, { priority: 2 - i });
  for (const { cq } of list) cq.arm();
  const pending = group.wait();
  for (const { pair } of list) send(pair, 1);
  const events = await pending;
  expect(events.map((event) => event.priority)).toEqual([0, 1, 2]);
  expect(events.map((event) => event.cq)).toEqual([list[2]?.cq, list[1]?.cq, list[0]?.cq]);
  expect(events.map((event) => event.channel)).toEqual([list[2]?.channel, list[1]?.channel, list[0]?.channel]);
});

test("wait() that ends by its time is empty, and 0 looks once", async () => {
  await using group = rig.native.verbs.openChannelGroup();
  const [one] = await channels(1);
  group.add(one!.channel);
  expect(await group.wait({ timeoutMs: 0 })).toEqual([]);
  expect(await group.wait({ timeoutMs: 5 })).toEqual([]);
  one!.cq.arm();
  send(one!.pair, 1);
  expect(await group.wait({ timeoutMs: 0 })).toMatchObject([{ priority: 0 }]);
});

test("wait() ends at once when it is aborted or the group is closed; one at a time", async () => {
  const group = rig.native.verbs.openChannelGroup();
  const controller = new AbortController();
  const pending = group.wait({ signal: controller.signal });
  await expect(group.wait()).rejects.toMatchObject({ code: "VERBENA_NATIVE_BUSY" });
  controller.abort(new Error("enough"));
  await expect(pending).rejects.toThrow("enough");
  await expect(group.wait({ signal: controller.signal })).rejects.toThrow("enough");
  const closing = Promise.allSettled([group.wait()]);
  await group.close();
  await group.close();
  expect(await closing).toMatchObject([{ status: "rejected", reason: { code: "VERBENA_NATIVE_CLOSED" } }]);
  await expect(group.wait()).rejects.toMatchObject({ code: "VERBENA_NATIVE_CLOSED" });
});

test("a channel has one reader: the group, or something else", async () => {
  await using group = rig.native.verbs.openChannelGroup();
  const [one, two] = await channels(2);
  group.add(one!.channel);
  const busy = expect.objectContaining({ code: "VERBENA_NATIVE_BUSY" });
  expect(() => one!.channel.tryRead()).toThrow(busy);
  expect(() => one!.cq.completions()).toThrow(busy);
  void two!.cq.completions().next();
  expect(() => group.add(two!.channel)).toThrow(busy);
  group.remove(one!.channel);
  expect(one!.channel.tryRead()).toBeUndefined();
});

test("a channel that is closed leaves its group", async () => {
  await using group = rig.native.verbs.openChannelGroup();
  const [one, two] = await channels(2);
  for (const { channel } of [one!, two!]) group.add(channel);
  await one!.channel.close();
  two!.cq.arm();
  send(two!.pair, 1);
  expect(await group.wait()).toMatchObject([{ channel: two!.channel }]);
});

test("completions(): what is there, what comes later, and queues that are made later", async () => {
  await using group = rig.native.verbs.openChannelGroup();
  const [one, two] = await channels(2);
  for (const { channel } of [one!, two!]) group.add(channel);
  send(one!.pair, 3);
  const batches = group.completions();
  const first = batchOf(await batches.next());
  expect([first.cq, first.length]).toEqual([one!.cq, 3]);
  const pending = batches.next();
  send(two!.pair, 2);
  const second = batchOf(await pending);
  expect([second.cq, second.length]).toEqual([two!.cq, 2]);
  const third = batches.next();
  const late = await bench.queue({ channel: one!.channel });
  send((await bench.pair("uc", late))[0], 1);
  expect(batchOf(await third).cq).toBe(late);
  const last = batches.next();
  await group.close();
  expect(await last).toEqual({ done: true, value: undefined });
});

test("closed while it pauses because the turn's budget is used up: completions() ends", async () => {
  const [one] = await channels(1);
  one!.cq.arm();
  send(one!.pair, 1);
  await nextEvent(one!.channel);
  const group = new OpenChannelGroup(
    {
      add: () => undefined,
      remove: () => undefined,
      poll: () => [],
      start: () => undefined,
      setReading: () => undefined,
      close: () => undefined,
    },
    {},
    new TurnBudget({ items: 1, microseconds: 1 }, () => 0),
    () => undefined,
  );
  group.add(one!.channel);
  const batches = group.completions();
  expect(batchOf(await batches.next()).length).toBe(1);
  const last = batches.next();
  await group.close();
  expect(await last).toEqual({ done: true, value: undefined });
});

test.each([
  [8, "in error"],
  [16, "hung up"],
])(
  "a channel that epoll reports with %i: a coded error that names it, and the others go on",
  async (events, reason) => {
    const [one, two] = await channels(2);
    const keys: number[] = [];
    let round = 0;
    const group = new OpenChannelGroup(
      {
        add: (_fd, key) => keys.push(key),
        remove: () => undefined,
        poll: () => (round++ === 0 ? [keys[0] ?? 0, events] : [keys[1] ?? 0, 1]),
        start: () => undefined,
        setReading: () => undefined,
        close: () => undefined,
      },
      {},
      new TurnBudget({ items: 1, microseconds: 1 }, () => 0),
      () => undefined,
    );
    for (const { channel } of [one!, two!]) group.add(channel);
    expect(one!.channel).toBeInstanceOf(OpenCompletionChannel);
    await expect(group.wait()).rejects.toMatchObject({
      code: "VERBENA_NATIVE_CHANNEL",
      details: { channel: one!.channel, reason },
    });
    two!.cq.arm();
    send(two!.pair, 1);
    expect(await group.wait()).toMatchObject([{ channel: two!.channel }]);
    await group.close();
  },
);
