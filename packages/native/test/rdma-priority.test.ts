import type { CompletionQueue, QueuePair } from "../src/index.js";
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

/** Three channels, the most urgent first, with 64 completion queues among them. */
const QUEUES = [22, 21, 21];
const BATCH = 4;
const PER_QUEUE = 64;

const SLOW = "4,096 completions take too long under emulation";

interface Sender {
  readonly cq: CompletionQueue;
  readonly pair: QueuePair;
}

function send({ pair }: Sender, count: number): void {
  pair.postSend(Array.from({ length: count }, (_, wrId) => ({ wrId })));
}

/** A group of three channels, one for each class, and the senders of each. */
async function openClasses(lowerShare: number) {
  const group = rig.native.verbs.openChannelGroup({ lowerShare });
  const priorityOf = new Map<CompletionQueue, number>();
  const open = async (count: number, priority: number): Promise<readonly Sender[]> => {
    const channel = await bench.context.createCompletionChannel();
    group.add(channel, { priority });
    const make = async (): Promise<Sender> => {
      const cq = await bench.queue({ channel, batchSize: BATCH, depth: 2 * PER_QUEUE });
      priorityOf.set(cq, priority);
      return { cq, pair: (await bench.pair("uc", cq, { maxSendWr: PER_QUEUE, maxRecvWr: 0 }))[0] };
    };
    return Promise.all(Array.from({ length: count }, make));
  };
  const classes = await Promise.all(QUEUES.map(open));
  return { group, classes, priorityOf };
}

const count = (list: readonly number[], wanted: number): number => list.filter((one) => one === wanted).length;

/** Loads all queues at once and reads 200 batches: how many each class gets. */
async function sharesOf(lowerShare: number): Promise<readonly number[]> {
  const { group, classes, priorityOf } = await openClasses(lowerShare);
  for (const sender of classes.flat()) send(sender, PER_QUEUE);
  const order: number[] = [];
  const served = new Set<CompletionQueue>();
  for await (const batch of group.completions()) {
    expect(batch.length).toBe(BATCH);
    order.push(priorityOf.get(batch.cq) ?? -1);
    served.add(batch.cq);
    if (order.length === 200) break;
  }
  await group.close();
  // The urgent class waits for one batch at a time, never for two.
  expect(order.join("")).not.toMatch(/[12][12]/);
  // Queues of one class take turns, so all of the urgent class have had theirs.
  expect(classes[0]?.every(({ cq }) => served.has(cq))).toBe(true);
  return [0, 1, 2].map((priority) => count(order, priority));
}

test("64 queues in three classes, all loaded at once: of 200 batches the lower classes get one of eight, in turn", async () => {
  expect(await sharesOf(8)).toEqual([175, 13, 12]);
});

testOfSimulator(SLOW, "one turn of two, or of four, for lower classes", async () => {
  expect(await sharesOf(2)).toEqual([100, 50, 50]);
  expect(await sharesOf(4)).toEqual([150, 25, 25]);
});

testOfSimulator(
  "a real device completes beside the program",
  "64 queues, the lower two classes loaded: an urgent completion waits for one batch of theirs at most, whenever it comes",
  async () => {
    const { group, classes, priorityOf } = await openClasses(8);
    const [urgent = [], ...lower] = classes;
    for (const sender of lower.flat()) send(sender, PER_QUEUE);
    const order: number[] = [];
    const waits: number[] = [];
    let posted: { readonly sender: Sender; readonly at: number } | undefined;
    let pause = 0;
    for await (const batch of group.completions()) {
      order.push(priorityOf.get(batch.cq) ?? -1);
      if (posted?.sender.cq === batch.cq) {
        expect(batch.length).toBe(1);
        // Batches of others since it was posted, the one that the program had in hand among them.
        waits.push(order.slice(posted.at, -1).filter((priority) => priority > 0).length);
        posted = undefined;
        // Once more after 0, 1, 2 … 9 batches of others, and again.
        pause = waits.length % 10;
      } else if (pause > 0) {
        pause--;
      }
      if (posted === undefined && pause === 0) {
        const sender = urgent[waits.length % urgent.length]!;
        posted = { sender, at: order.length - 1 };
        send(sender, 1);
      }
      if (waits.length === 100) break;
    }
    await group.close();
    expect(Math.max(...waits)).toBe(1);
    // Those that came right after an urgent one waited for nothing, or for a lower class whose turn it was.
    const afterUrgent = waits.filter((_, i) => i % 10 === 0);
    expect(waits.filter((_, i) => i % 10 > 0)).toEqual(Array.from({ length: 90 }, () => 1));
    expect(afterUrgent).toContain(0);
    // Both lower classes were loaded all the time, and the lowest had its turns.
    expect(count(order, 2)).toBeGreaterThanOrEqual(Math.floor((order.length - 100) / 8));
  },
);

testOfSimulator(
  SLOW,
  "all 64 queues: every completion is delivered once, and the lower classes get the rest when the urgent one is done",
  async () => {
    const { group, classes, priorityOf } = await openClasses(8);
    for (const sender of classes.flat()) send(sender, PER_QUEUE);
    const left = new Map(classes.flat().map(({ cq }) => [cq, PER_QUEUE]));
    const order: number[] = [];
    for await (const batch of group.completions()) {
      order.push(priorityOf.get(batch.cq) ?? -1);
      for (let i = 0; i < batch.length; i++) {
        const remaining = left.get(batch.cq) ?? 0;
        expect(batch.wrId(i)).toBe(PER_QUEUE - remaining);
        left.set(batch.cq, remaining - 1);
      }
      if (order.length === (64 * PER_QUEUE) / BATCH) break;
    }
    await group.close();
    expect([...left.values()].every((remaining) => remaining === 0)).toBe(true);
    // 352 batches of the urgent class with one of eight turns for the others: 50 of those in between.
    expect(order.lastIndexOf(0) + 1).toBe(352 + 50);
  },
);
