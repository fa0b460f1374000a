// What the guide's chapter "When several queues" promises of each reason to have them.
import type { CompletionBatch, CompletionQueue, QueuePair } from "../src/index.js";
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

const BESIDE = "a real device completes beside the program";
const BATCH = 4;

const send = (pair: QueuePair, wrIds: readonly number[]): void => pair.postSend(wrIds.map((wrId) => ({ wrId })));
const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);

/** The number of the batch, counted from 1, that has the completion `wrId`. */
async function batchWith(batches: AsyncIterable<CompletionBatch>, wrId: number): Promise<number> {
  let count = 0;
  for await (const batch of batches) {
    count++;
    if ([...batch].some((completion) => completion.wrId === wrId)) return count;
  }
  throw new Error("it did not come");
}

describe("overrun: a queue holds the requests of so many queue pairs and no more", () => {
  test("one pair too many is refused; a second queue on the same channel takes it", async () => {
    const channel = await bench.context.createCompletionChannel();
    const first = await bench.queue({ channel, depth: 128 });
    const caps = { maxSendWr: Math.floor(first.depth / 4), maxRecvWr: Math.floor(first.depth / 4) };
    const pairs = await bench.pair("uc", first, caps);
    expect(first.reserved).toBe(4 * caps.maxSendWr);
    const one = { type: "uc", maxSendWr: first.depth - first.reserved + 1, maxRecvWr: 0 } as const;
    await expect(bench.pd.createQueuePair({ ...one, sendCq: first })).rejects.toMatchObject({
      code: "VERBENA_NATIVE_CQ_OVERRUN",
      details: { depth: first.depth, wanted: first.depth + 1 },
    });
    const second = await bench.queue({ channel, depth: 128 });
    await bench.pd.createQueuePair({ ...one, sendCq: second });
    expect(second.reserved).toBe(one.maxSendWr);
    // As many requests as may be under way at once: every completion has its place.
    for (const pair of pairs) send(pair, upTo(caps.maxSendWr));
    const left = new Map(pairs.map((pair) => [pair.qpn, caps.maxSendWr]));
    for await (const batch of first.completions()) {
      for (const { qpn, status } of batch) {
        expect(status).toBe("success");
        left.set(qpn, (left.get(qpn) ?? 0) - 1);
      }
      if ([...left.values()].every((count) => count === 0)) break;
    }
  });
});

describe("quality of service: what is urgent has a queue of its own", () => {
  const bulkThenUrgent = async (queueOf: (isUrgent: boolean) => CompletionQueue): Promise<void> => {
    const [bulk] = await bench.pair("uc", queueOf(false));
    const [urgent] = await bench.pair("uc", queueOf(true));
    send(bulk, upTo(60));
    send(urgent, [1000]);
  };

  testOfSimulator(BESIDE, "on one queue it comes behind the 60 that were there: in batch 16 of 4 each", async () => {
    const cq = await bench.queue({ batchSize: BATCH });
    await bulkThenUrgent(() => cq);
    expect(await batchWith(cq.completions(), 1000)).toBe(16);
  });

  testOfSimulator(BESIDE, "on a queue of a more urgent channel it comes in the first batch", async () => {
    await using group = rig.native.verbs.openChannelGroup();
    const open = async (priority: number): Promise<CompletionQueue> => {
      const channel = await bench.context.createCompletionChannel();
      group.add(channel, { priority });
      return bench.queue({ channel, batchSize: BATCH });
    };
    const [own, other] = [await open(0), await open(1)];
    await bulkThenUrgent((isUrgent) => (isUrgent ? own : other));
    expect(await batchWith(group.completions(), 1000)).toBe(1);
  });
});

describe("function: each part of a program reads its own queue at its own pace", () => {
  test("one part stops reading: the other goes on, and what waits is all there later", async () => {
    const channel = await bench.context.createCompletionChannel();
    const [slow, fast] = [await bench.queue({ channel }), await bench.queue({ channel })];
    const [[slowPair], [fastPair]] = [await bench.pair("uc", slow), await bench.pair("uc", fast)];
    const slowBatches = slow.completions();
    send(slowPair, [0]);
    await slowBatches.next();
    // Nobody pulls these for now.
    send(slowPair, upTo(60));
    const fastBatches = fast.completions();
    for (const wrId of upTo(200)) {
      send(fastPair, [wrId]);
      const { value } = (await fastBatches.next()) as IteratorYieldResult<CompletionBatch>;
      expect([...value].map((completion) => completion.wrId)).toEqual([wrId]);
    }
    const late: number[] = [];
    for await (const batch of slowBatches) {
      late.push(...[...batch].map((completion) => completion.wrId));
      if (late.length === 60) break;
    }
    expect(late).toEqual(upTo(60));
  });

  test("one queue has one reader: a second part is refused", async () => {
    const cq = await bench.queue();
    cq.completions();
    expect(() => cq.completions()).toThrow(expect.objectContaining({ code: "VERBENA_NATIVE_BUSY" }));
  });
});

describe("sends and receives: a burst of one does not hold up the other", () => {
  /** After 60 sends have completed a message comes in; the number of the batch that has its receive. */
  async function batchOfReceive(sendCq: CompletionQueue, recvCq: CompletionQueue): Promise<number> {
    const region = await bench.allocate(8);
    const [a, b] = await bench.pair("uc", sendCq, { recvCq });
    // The peer has no receives: the messages are dropped, and their sends complete.
    send(a, upTo(60));
    a.postReceive([{ wrId: 1000, data: region.slice() }]);
    send(b, [2000]);
    return batchWith(recvCq.completions(), 1000);
  }

  testOfSimulator(BESIDE, "on one queue the receive comes behind the 60: in batch 16 of 4 each", async () => {
    const cq = await bench.queue({ batchSize: BATCH });
    expect(await batchOfReceive(cq, cq)).toBe(16);
  });

  testOfSimulator(
    BESIDE,
    "on a queue of its own it comes in the first batch, and the sends wait for their reader",
    async () => {
      const sendCq = await bench.queue();
      expect(await batchOfReceive(sendCq, await bench.queue({ batchSize: BATCH }))).toBe(1);
      expect(sendCq.poll()).toHaveLength(61);
    },
  );
});
