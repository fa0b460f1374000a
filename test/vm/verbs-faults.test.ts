import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { type CompletionQueue, type MemoryRegion, type Native, openNative, type QueuePair } from "@verbena/native";
import { routedGid } from "../../packages/native/test/port-address.js";
import { Bench, QKEY } from "../../packages/native/test/rig.js";
import { Netem } from "./netem.js";
import { RxeDevice } from "./rxe-device.js";

// What the network does to packets, and what each transport service makes of it (IBA 9.7, 9.8), on Soft-RoCE: rxe0 sends to rxe1, over the pair of
// interfaces rdma0 and rdma1. The same on the simulated fabric: packages/native/test/rdma-wire-faults.test.ts.

const COUNT = 20;
const ALL = Array.from({ length: COUNT }, (_, i) => i);
/** Sent when the network is well again: what came before it is all that came. */
const LAST = 999;
const SIZE = 64;
const GRH_SIZE = 40;
const LIMIT = { timeout: 60_000 };

type Type = "ud" | "uc" | "rc";

/** A queue pair on a device, its completion queue and its memory. */
class End {
  private constructor(
    readonly bench: Bench,
    readonly pair: QueuePair,
    readonly cq: CompletionQueue,
    readonly region: MemoryRegion,
  ) {}

  static async at(bench: Bench, type: Type): Promise<End> {
    const cq = await bench.queue({ depth: 256 });
    const pair = await bench.pd.createQueuePair({ type, sendCq: cq, maxSendWr: 64, maxRecvWr: 128 });
    await pair.toInit(type === "ud" ? { qkey: QKEY } : {});
    return new End(bench, pair, cq, await bench.allocate(SIZE + GRH_SIZE));
  }

  get gid() {
    const found = routedGid(this.bench.context);
    assert(found !== undefined);
    return found;
  }

  wayTo(peer: End) {
    return { port: 1, grh: { dgid: peer.gid.gid, sgidIndex: this.gid.index, hopLimit: 1 } };
  }

  /** Numbers of the messages that come, up to and with the last. */
  async received(): Promise<readonly number[]> {
    const numbers: number[] = [];
    while (numbers.at(-1) !== LAST) {
      for (const { opcode, status, imm } of this.cq.poll()) {
        if (opcode === "receive" && status === "success") numbers.push(imm ?? -1);
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    return numbers;
  }
}

let native: Native;
let benches: readonly Bench[];
let sender: End;
let receiver: End;

/** Connects a sender on rxe0 with a receiver on rxe1; what it gives sends one message of each number and tells their statuses. */
async function connect(type: Type, retryCnt = 7): Promise<(numbers: readonly number[]) => Promise<readonly string[]>> {
  const [near, far] = benches as [Bench, Bench];
  [sender, receiver] = [await End.at(near, type), await End.at(far, type)];
  for (const [own, peer] of [[sender, receiver] as const, [receiver, sender] as const]) {
    await own.pair.toRtr(type === "ud" ? {} : { destQpn: peer.pair.qpn, address: own.wayTo(peer) });
    await own.pair.toRts({ timeout: 14, retryCnt });
  }
  receiver.pair.postReceive(Array.from({ length: 100 }, () => ({ data: { region: receiver.region } })));
  const ah = await near.pd.createAddressHandle(sender.wayTo(receiver));
  const to = type === "ud" ? { to: { ah, qpn: receiver.pair.qpn, qkey: QKEY } } : {};
  const data = { region: sender.region, length: SIZE };
  const send = (imm: number): Promise<string> =>
    sender.pair.send({ imm, data, ...to }).then(
      ({ status }) => status,
      (error: unknown) => String((error as { details?: Record<string, unknown> }).details?.["status"] ?? error),
    );
  return (numbers) => Promise.all(numbers.map(send));
}

const isSorted = (numbers: readonly number[]): boolean =>
  numbers.every((one, i) => i === 0 || one >= (numbers[i - 1] ?? 0));

/** What is done to the sender's packets, and what comes then of so many datagrams, or of messages of one packet on an unreliable connection. */
const FAULTS: readonly (readonly [name: string, netem: string, comes: (numbers: readonly number[]) => boolean])[] = [
  [
    // Delivery and loss take turns; the kernel's own packets take part.
    "every second packet is lost: about half come, in order",
    "loss state 100% 100%",
    (numbers) => isSorted(numbers) && numbers.length > COUNT / 4 && numbers.length < (COUNT * 3) / 4,
  ],
  [
    "every packet comes twice: so does every message",
    "duplicate 100%",
    (numbers) => isSorted(numbers) && numbers.length === 2 * COUNT && new Set(numbers).size === COUNT,
  ],
  [
    "packets overtake each other: all come, not in order",
    "delay 30ms reorder 100% gap 4",
    (numbers) => !isSorted(numbers) && numbers.length === COUNT && new Set(numbers).size === COUNT,
  ],
  ["packets are late: all come, in order", "delay 30ms", (numbers) => isSorted(numbers) && numbers.length === COUNT],
  ["nothing arrives: none come", "loss 100%", (numbers) => numbers.length === 0],
];

describe("what the network does to packets", () => {
  before(() => {
    native = openNative();
  });
  after(() => native.close());
  beforeEach(async () => {
    benches = await Promise.all(["rxe0", "rxe1"].map((device) => Bench.of(native.verbs.open(device))));
  });
  afterEach(async () => {
    for (const bench of benches) await bench.context.close();
  });

  for (const [name, netem, comes] of FAULTS) {
    for (const type of ["ud", "uc"] as const) {
      test(`${type}, ${name}; nobody is told`, LIMIT, async () => {
        const send = await connect(type);
        {
          await using _fault = new Netem("rdma0", netem);
          assert.deepEqual(
            await send(ALL),
            ALL.map(() => "success"),
          );
        }
        await send([LAST]);
        const numbers = (await receiver.received()).slice(0, -1);
        assert(comes(numbers), JSON.stringify(numbers));
      });
    }
  }

  // Lost at random: where loss and delivery take turns, an even number of packets sent again loses the same ones again.
  for (const netem of ["loss 20%", "duplicate 100%", "delay 30ms reorder 100% gap 4", "delay 30ms"]) {
    test(`rc, ${netem}: all come, in order, once`, LIMIT, async () => {
      const send = await connect("rc");
      {
        await using _fault = new Netem("rdma0", netem);
        assert.deepEqual(
          await send(ALL),
          ALL.map(() => "success"),
        );
      }
      await send([LAST]);
      assert.deepEqual(await receiver.received(), [...ALL, LAST]);
    });
  }

  for (const [netdev, what, arrived] of [
    ["rdma0", "the way is gone", []],
    ["rdma1", "the way back is gone", [7]],
  ] as const) {
    test(`${what}: a reliable connection ends with transport-retry-exceeded after the last retry`, LIMIT, async () => {
      const send = await connect("rc", 1);
      await using _fault = new Netem(netdev, "loss 100%");
      const begin = performance.now();
      assert.deepEqual(await send([7, 8]), ["transport-retry-exceeded", "work-request-flushed"]);
      // IBA 9.7.6.1.3: no sooner than after the time-out, for the first try and the retry.
      assert(performance.now() - begin > 2 * 0.004096 * 2 ** 14);
      assert.equal((await sender.pair.query()).state, "error");
      const numbers = receiver.cq.poll();
      assert.deepEqual([...numbers].map(({ imm }) => imm).slice(0, 1), arrived);
    });
  }
});

test("the link goes down and up: a reliable connection is still there", LIMIT, async () => {
  using device = new RxeDevice("rxe8", "rdma8", "10.0.8.1/24");
  await using own = openNative();
  await using bench = await Bench.of(own.verbs.open(device.device));
  const events = bench.context.events();
  const [a, b] = await bench.pair("rc", await bench.queue());
  const region = await bench.allocate(64);
  device.linkDown();
  assert.deepEqual(await events.next(), { done: false, value: { type: "port-err", port: 1 } });
  device.linkUp();
  assert.deepEqual(await events.next(), { done: false, value: { type: "port-active", port: 1 } });
  b.postReceive([{ wrId: 1, data: region.slice(0, 8) }]);
  const { wrId, status } = await a.send({ wrId: 2, data: region.slice(8, 8) });
  assert.deepEqual([wrId, status], [2, "success"]);
});
