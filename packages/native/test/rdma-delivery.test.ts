import type { Completion, CompletionBatch, DeliveryMode, Message } from "../src/index.js";
import { nextEvent } from "./next-event.js";
import { type Bench, QKEY, Rig } from "./rig.js";
import { take } from "./support.js";

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

const numbers = (batch: CompletionBatch): readonly number[] => [...batch].map((completion) => completion.wrId);
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const MODES: readonly DeliveryMode[] = ["event", "poll", { type: "adaptive", spinUs: 200 }];

describe.each(MODES.map((mode) => [typeof mode === "string" ? mode : mode.type, mode] as const))(
  "mode %s",
  (_name, mode) => {
    test("completions come in batches, those that were there before and those that come later", async () => {
      const channel = await bench.context.createCompletionChannel();
      const cq = await bench.queue({ channel, mode });
      const [a] = await bench.pair("uc", cq);
      a.postSend([{ wrId: 1 }, { wrId: 2 }, { wrId: 3 }]);
      const batches = cq.completions();
      expect(numbers((await batches.next()).value as CompletionBatch)).toEqual([1, 2, 3]);
      for (let wrId = 10; wrId < 60; wrId++) {
        const pending = batches.next();
        await turn();
        a.postSend([{ wrId }]);
        expect(numbers((await pending).value as CompletionBatch)).toEqual([wrId]);
      }
    });

    test("a thousand messages, each received once and in order", async () => {
      const channel = await bench.context.createCompletionChannel();
      const sendCq = await bench.queue({ channel, mode });
      const recvCq = await bench.queue({ channel, mode });
      const region = await bench.allocate(4096);
      const [a, b] = await bench.pair("rc", sendCq, { recvCq });
      b.postReceive(Array.from({ length: 64 }, () => ({ data: region.slice(1024, 8) })));
      let received = 0;
      let sent = 0;
      const sender = (async () => {
        for (; sent < 64; sent++) a.postSend([{ wrId: sent, imm: sent }]);
        for await (const batch of sendCq.completions()) {
          for (let i = 0; i < batch.length && sent < 1000; i++, sent++) a.postSend([{ wrId: sent, imm: sent }]);
          if (batch.at(batch.length - 1).wrId === 999) return;
        }
      })();
      for await (const batch of recvCq.completions()) {
        for (const completion of batch) {
          expect(completion).toMatchObject({ status: "success", imm: received++ });
          b.postReceive([{ data: region.slice(1024, 8) }]);
        }
        if (received === 1000) break;
      }
      await sender;
      expect(received).toBe(1000);
    });
  },
);

test("many queues on one channel: the event tells which", async () => {
  const channel = await bench.context.createCompletionChannel();
  const queues = await Promise.all(Array.from({ length: 8 }, () => bench.queue({ channel })));
  const pairs = await Promise.all(queues.map(async (cq) => (await bench.pair("uc", cq))[0]));
  const pending = queues.map((cq) => cq.completions().next());
  for (const [i, pair] of pairs.entries()) pair.postSend([{ wrId: i }]);
  const batches = (await Promise.all(pending)).map((result) => result.value as CompletionBatch);
  expect(batches.map(numbers)).toEqual(queues.map((_, i) => [i]));
  expect(batches.map((batch) => batch.cq)).toEqual(queues);
});

test("for a loop of its own: fd, arm, tryRead and poll never wait", async () => {
  const channel = await bench.context.createCompletionChannel();
  const cq = await bench.queue({ channel });
  const [a] = await bench.pair("uc", cq);
  expect(channel.fd).toBeGreaterThan(2);
  expect(channel.tryRead()).toBeUndefined();
  // Not armed: no event. Armed: one, however many follow.
  a.postSend([{ wrId: 1 }]);
  expect(channel.tryRead()).toBeUndefined();
  cq.arm();
  a.postSend([{ wrId: 2 }, { wrId: 3 }]);
  expect(await nextEvent(channel)).toBe(cq);
  expect(channel.tryRead()).toBeUndefined();
  expect(numbers(cq.poll())).toEqual([1, 2, 3]);
  const reader = cq.completions();
  void reader.next();
  expect(() => cq.poll()).toThrow(expect.objectContaining({ code: "VERBENA_NATIVE_BUSY" }));
  expect(() => channel.tryRead()).toThrow(expect.objectContaining({ code: "VERBENA_NATIVE_BUSY" }));
  await reader.return?.();
  expect(channel.tryRead()).toBeUndefined();
});

test("events of a channel as a stream, for a reader who arms and polls", async () => {
  const channel = await bench.context.createCompletionChannel();
  const queues = [await bench.queue({ channel }), await bench.queue({ channel })] as const;
  const pairs = await Promise.all(queues.map(async (cq) => (await bench.pair("uc", cq))[0]));
  const events = channel.events();
  for (const cq of queues) cq.arm();
  pairs[1]?.postSend([{ wrId: 5 }]);
  expect((await events.next()).value).toBe(queues[1]);
  expect(numbers(queues[1].poll())).toEqual([5]);
  expect(() => queues[0].completions()).toThrow(expect.objectContaining({ code: "VERBENA_NATIVE_BUSY" }));
});

test("solicited only: others wait, and are delivered with the next solicited one", async () => {
  const channel = await bench.context.createCompletionChannel();
  const sendCq = await bench.queue();
  const recvCq = await bench.queue({ channel, solicitedOnly: true });
  const region = await bench.allocate(4096);
  const [a, b] = await bench.pair("rc", sendCq, { recvCq });
  b.postReceive([1, 2, 3].map((wrId) => ({ wrId, data: region.slice(0, 8) })));
  const pending = recvCq.completions().next();
  let isDone = false;
  void pending.then(() => {
    isDone = true;
  });
  a.postSend([{}, {}]);
  for (let i = 0; i < 20; i++) await turn();
  expect(isDone).toBe(false);
  a.postSend([{ solicited: true }]);
  expect(numbers((await pending).value as CompletionBatch)).toEqual([1, 2, 3]);
});

test("a batch is no longer than asked for, and a turn of the loop delivers no more than its budget", async () => {
  const cq = await bench.queue({ batchSize: 4, budget: { items: 8 } });
  const [a] = await bench.pair("uc", cq, { maxSendWr: 64 });
  a.postSend(Array.from({ length: 40 }, (_, wrId) => ({ wrId })));
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const sizes: number[] = [];
  for await (const batch of cq.completions()) {
    sizes.push(batch.length);
    if (sizes.length === 10) break;
  }
  isOver = true;
  expect(sizes).toEqual(Array.from({ length: 10 }, () => 4));
  expect(turns).toBeGreaterThanOrEqual(4);
});

test("send() resolves with its own completion, whoever reads the others", async () => {
  const channel = await bench.context.createCompletionChannel();
  const cq = await bench.queue({ channel });
  const region = await bench.allocate(4096);
  const [a, b] = await bench.pair("rc", cq);
  b.postReceive(Array.from({ length: 20 }, (_, i) => ({ wrId: 100 + i, data: region.slice(1024, 8) })));
  const slice = region.slice(0, 8);
  const sends = Array.from({ length: 10 }, (_, wrId) => a.send({ wrId, data: slice }));
  expect(slice.isLent).toBe(true);
  await expect(region.close()).rejects.toMatchObject({ code: "VERBENA_NATIVE_LENT" });
  const done = await Promise.all(sends);
  expect(done.map((completion) => completion.wrId)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(slice.isLent).toBe(false);
  // The receives were not lost: they wait for their reader.
  const seen: number[] = [];
  for await (const batch of cq.completions()) {
    seen.push(...numbers(batch));
    if (seen.length >= 10) break;
  }
  expect(seen).toEqual([100, 101, 102, 103, 104, 105, 106, 107, 108, 109]);
});

test("send() that fails rejects with the status as data", async () => {
  const cq = await bench.queue();
  const region = await bench.allocate(64);
  const [a] = await bench.pair("rc", cq, { rnrRetry: 0 });
  await expect(a.send({ wrId: 3, data: region.slice(0, 8) })).rejects.toMatchObject({
    code: "VERBENA_NATIVE_COMPLETION",
    details: { status: "rnr-retry-exceeded", statusCode: 13, wrId: 3 },
  });
});

test("aborting ends the wait, not the request: the slice stays lent until it is over", async () => {
  const cq = await bench.queue();
  const region = await bench.allocate(64);
  const [a, b] = await bench.pair("rc", cq);
  const slice = region.slice(0, 8);
  const controller = new AbortController();
  const pending = a.send({ data: slice }, { signal: controller.signal });
  controller.abort(new Error("enough"));
  await expect(pending).rejects.toThrow("enough");
  expect(slice.isLent).toBe(true);
  b.postReceive([{ wrId: 1, data: region.slice(8, 8) }]);
  while (slice.isLent) await turn();
  await expect(a.send({}, { signal: AbortSignal.abort(new Error("before")) })).rejects.toThrow("before");
});

describe.each(["rc", "ud"] as const)("messages() of %s", (type) => {
  test("ten times the ring, at the reader's pace", async () => {
    const channel = await bench.context.createCompletionChannel();
    const sendCq = await bench.queue({ channel });
    const recvCq = await bench.queue({ channel });
    const region = await bench.allocate(4096);
    const [a, b] = await bench.pair(type, sendCq, { recvCq });
    const ah = await bench.pd.createAddressHandle(bench.toSelf);
    const to = type === "ud" ? { to: { ah, qpn: b.qpn, qkey: QKEY } } : {};
    const ring = await bench.allocate(8 * (64 + 40));
    const messages = b.messages({ size: 64, count: 8, region: ring });
    let sent = 0;
    const send = async (): Promise<void> => {
      region.bytes[0] = sent;
      await a.send({ data: region.slice(0, 1), imm: sent++, ...to });
    };
    // Datagrams beyond the ring would be lost: the sender stays within what the reader has given back.
    for (let i = 0; i < 6; i++) await send();
    for (let i = 0; i < 80; i++) {
      const { value } = (await messages.next()) as { readonly value: Message };
      expect([...value.bytes]).toEqual([i]);
      expect(value.completion.imm).toBe(i);
      expect(value.grh === undefined).toBe(bench.toSelf.grh === undefined || type !== "ud");
      await send();
    }
    await messages.return?.();
    expect(await messages.next()).toEqual({ done: true, value: undefined });
  });
});

test("messages() tells of an RDMA write by its immediate data and its length; the bytes are where it wrote them", async () => {
  const cq = await bench.queue();
  const region = await bench.allocate(4096);
  const [a, b] = await bench.pair("rc", cq);
  const messages = b.messages({ size: 16, count: 4 });
  const remote = { remoteAddress: region.address + 2048n, rkey: region.rkey };
  await a.send({ opcode: "rdma-write", data: region.slice(0, 100), imm: 7, ...remote });
  const { bytes, completion } = (await messages.next()).value as Message;
  expect(completion).toMatchObject({ opcode: "receive-rdma-with-imm", imm: 7, byteLength: 100 });
  expect(bytes).toHaveLength(0);
});

test("messages() ends when its queue pair is closed, after what had come", async () => {
  const cq = await bench.queue();
  const region = await bench.allocate(64);
  const [a, b] = await bench.pair("rc", cq);
  const messages = b.messages({ size: 16 });
  const first = messages.next();
  await a.send({ data: region.slice(0, 3) });
  expect(((await first).value as Message).bytes).toHaveLength(3);
  const pending = messages.next();
  await b.close();
  expect(await pending).toEqual({ done: true, value: undefined });
  expect(() => a.messages({ size: 1, count: 65 })).toThrow(expect.objectContaining({ code: "VERBENA_NATIVE_OPTION" }));
});

test("a queue pair destroyed with requests under way: promises reject, flushed ones reach the reader", async () => {
  const cq = await bench.queue();
  const region = await bench.allocate(64);
  const [a, b] = await bench.pair("rc", cq);
  const batches = cq.completions();
  b.postReceive([{ wrId: 50, data: region.slice(0, 8) }]);
  const pending = b.send({ data: region.slice(0, 8) });
  const failed = Promise.allSettled([pending]);
  await b.close();
  expect(await failed).toMatchObject([
    {
      status: "rejected",
      reason: {
        code: "VERBENA_NATIVE_COMPLETION",
        details: { status: "work-request-flushed" },
      },
    },
  ]);
  const [first] = await take(batches, 1);
  expect([...(first ?? [])].map(({ wrId, status }: Completion) => [wrId, status])).toEqual([
    [50, "work-request-flushed"],
  ]);
  expect((await a.query()).state).toBe("rts");
  expect(cq.reserved).toBe(128);
});

test("a reset forgets what is under way; promises reject", async () => {
  const cq = await bench.queue();
  const region = await bench.allocate(64);
  const [a] = await bench.pair("rc", cq);
  const pending = a.send({ data: region.slice(0, 8) });
  const failed = Promise.allSettled([pending]);
  await a.toReset();
  expect(await failed).toMatchObject([{ status: "rejected", reason: { code: "VERBENA_NATIVE_CLOSED" } }]);
  expect(a.sendCredits).toBe(64);
  expect(cq.poll()).toHaveLength(0);
});

test("close during a wait ends the iterator; children are closed before their parents", async () => {
  const channel = await bench.context.createCompletionChannel();
  const cq = await bench.queue({ channel });
  const [a, b] = await bench.pair("rc", cq);
  const waiting = cq.completions().next();
  const sending = a.send({});
  const failed = Promise.allSettled([sending]);
  await channel.close();
  await channel.close();
  expect(await waiting).toEqual({ done: true, value: undefined });
  expect(await failed).toMatchObject([
    { status: "rejected", reason: { code: expect.stringMatching(/VERBENA_NATIVE_/) as unknown } },
  ]);
  const closed = expect.objectContaining({ code: "VERBENA_NATIVE_CLOSED" });
  expect(() => cq.poll()).toThrow(closed);
  expect(() => b.postSend([{}])).toThrow(closed);
  expect(() => channel.tryRead()).toThrow(closed);
  await expect(a.send({})).rejects.toMatchObject({ code: "VERBENA_NATIVE_CLOSED" });
});

test("one reader: a second one is refused, and may come when the first has left", async () => {
  const cq = await bench.queue();
  const [a] = await bench.pair("uc", cq);
  const first = cq.completions();
  expect(() => cq.completions()).toThrow(expect.objectContaining({ code: "VERBENA_NATIVE_BUSY" }));
  void first.next();
  await expect(first.next()).rejects.toMatchObject({ code: "VERBENA_NATIVE_BUSY" });
  await first.return?.();
  a.postSend([{ wrId: 1 }]);
  expect(numbers((await cq.completions().next()).value as CompletionBatch)).toEqual([1]);
});
