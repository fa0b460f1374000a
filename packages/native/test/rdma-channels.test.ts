import type { CompletionQueue, QueuePair } from "../src/index.js";
import { type Bench, often, Rig } from "./rig.js";

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

const QUEUES = often(100, 10);
const ROUNDS = often(20, 4);

// The same as `pnpm bench channels`, in small.
describe.each([
  ["one vector", 0],
  ["all vectors", "auto"],
] as const)(`${QUEUES} loaded queues on %s`, (_name, vector) => {
  test.each([1, 2, QUEUES])("and %i channels: one event for each time that a queue was armed", async (count) => {
    const channels = await Promise.all(Array.from({ length: count }, () => bench.context.createCompletionChannel()));
    await using group = rig.native.verbs.openChannelGroup({ maxEvents: QUEUES });
    for (const channel of channels) group.add(channel);
    const queues = await Promise.all(
      Array.from({ length: QUEUES }, (_, i) => {
        const channel = channels[i % count];
        return bench.queue({ vector, depth: 16, ...(channel === undefined ? {} : { channel }) });
      }),
    );
    const { numCompVectors } = bench.context.limits();
    const used = queues.map((cq) => cq.vector);
    for (let i = 0; i < numCompVectors; i++) {
      const share = used.filter((one) => one === i).length;
      if (vector === 0) expect(share).toBe(i === 0 ? QUEUES : 0);
      else expect([Math.floor(QUEUES / numCompVectors), Math.ceil(QUEUES / numCompVectors)]).toContain(share);
    }
    const pairs = new Map<CompletionQueue, QueuePair>();
    for (const cq of queues) pairs.set(cq, (await bench.pair("uc", cq, { maxSendWr: 4, maxRecvWr: 0 }))[0]);
    const seen = new Map(queues.map((cq) => [cq, [] as number[]]));
    const times = new Map<CompletionQueue, number>();
    const took: number[] = [];
    const post = (cq: CompletionQueue, wrId: number): void => {
      cq.arm();
      times.set(cq, performance.now());
      pairs.get(cq)?.postSend([{ wrId }]);
    };
    const begin = performance.now();
    const { user, system } = process.cpuUsage();
    for (const cq of queues) post(cq, 0);
    for (let events = 0; events < QUEUES * ROUNDS; ) {
      for (const { cq, channel } of await group.wait()) {
        events++;
        expect(cq.channel).toBe(channel);
        for (const { wrId } of cq.poll()) seen.get(cq)?.push(wrId);
        took.push(performance.now() - (times.get(cq) ?? 0));
        const next = seen.get(cq)?.length ?? 0;
        if (next < ROUNDS) post(cq, next);
      }
    }
    const ms = performance.now() - begin;
    const cpu = process.cpuUsage({ user, system });
    expect(await group.wait({ timeoutMs: 0 })).toEqual([]);
    for (const wrIds of seen.values()) expect(wrIds).toEqual(Array.from({ length: ROUNDS }, (_, i) => i));
    const p99 = took.sort((a, b) => a - b)[Math.floor(took.length * 0.99)] ?? 0;
    process.stdout.write(
      `${QUEUES} queues, ${count} channels, ${vector === 0 ? 1 : numCompVectors} vectors: ` +
        `${((took.length * 1000) / ms).toFixed(0)} events/s, p99 ${(p99 * 1000).toFixed(0)} µs, ` +
        `CPU ${((cpu.user + cpu.system) / took.length).toFixed(0)} µs/event\n`,
    );
  });
});
