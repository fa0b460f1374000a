import type { LinkFault } from "@verbena/fabric-sim";
import { LRH_SIZE, Mtu } from "@verbena/ib";
import type { AddressAttributes, CompletionQueue, MemoryRegion, QueuePair, SendRequest } from "../src/index.js";
import { type Bench, QKEY } from "./rig.js";
import { GROUP, type HostName, WireRig } from "./wire-rig.js";

jest.setTimeout(120_000);

// What the fabric does to packets, and what each transport service makes of it: IBA 9.8.3 (datagrams), 9.8.2 (unreliable connections), 9.7
// (reliable ones). H1 sends to H8 over two leafs and a spine; H2 is beside H1.
let rig: WireRig;
beforeEach(async () => {
  rig = await WireRig.start();
});
afterEach(() => rig.close());

/** Messages of one test. */
const COUNT = 40;
/** Sent when the fabric is well again: what comes before it in the receive queue is all that came. */
const LAST = 999;
const SIZE = 1000;
/** Of the connections: a message is four packets. */
const MTU = Mtu.MTU_256;
const PACKETS = 4;
const GRH_SIZE = 40;
const ALL = Array.from({ length: COUNT }, (_, i) => i);

/** One end: its queue pair and what has been received. */
class End {
  readonly received: number[] = [];

  private constructor(
    readonly bench: Bench,
    readonly pair: QueuePair,
    readonly cq: CompletionQueue,
    private readonly region: MemoryRegion,
  ) {}

  static async at(host: HostName, type: "ud" | "uc" | "rc"): Promise<End> {
    const bench = rig.at(host);
    const cq = await bench.queue({ depth: 2048 });
    const pair = await bench.pd.createQueuePair({ type, sendCq: cq, maxSendWr: 256, maxRecvWr: 256 });
    await pair.toInit(type === "ud" ? { qkey: QKEY } : {});
    return new End(bench, pair, cq, await bench.allocate(256 * (SIZE + GRH_SIZE)));
  }

  /** Puts so many receives at the device's disposal. */
  post(count: number): void {
    const length = SIZE + GRH_SIZE;
    const receives = Array.from({ length: count }, (_, i) => ({
      wrId: i,
      data: { region: this.region, offset: i * length, length },
    }));
    this.pair.postReceive(receives);
  }

  /** Takes completions, checks that each message is whole, and waits until `count` messages, or the last of all, have come. */
  async until(count: number): Promise<readonly number[]> {
    while (this.received.length < count && this.received.at(-1) !== LAST) {
      for (const one of this.cq.poll()) {
        if (one.opcode !== "receive") continue;
        expect(one.status).toBe("success");
        const header = this.pair.type === "ud" ? GRH_SIZE : 0;
        expect(one.byteLength).toBe(lengthOf(this.pair.type) + header);
        const begin = one.wrId * (SIZE + GRH_SIZE) + header;
        const bytes = this.region.bytes.subarray(begin, begin + lengthOf(this.pair.type));
        expect(bytes.every((byte) => byte === ((one.imm ?? 0) & 0xff))).toBe(true);
        this.received.push(one.imm ?? -1);
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    return this.received;
  }
}

const lengthOf = (type: string): number => (type === "ud" ? 64 : SIZE);

/** A sender and its receivers. */
interface Line {
  readonly sender: End;
  readonly receivers: readonly End[];
  /** Posts one message of each number; the statuses they complete with. */
  send(numbers: readonly number[]): Promise<readonly string[]>;
}

interface LineOptions {
  readonly timeout?: number;
  readonly retryCnt?: number;
  readonly minRnrTimer?: number;
  readonly rnrRetry?: number;
  /** Posted at each receiver. */
  readonly receives?: number;
  /** Of datagrams; to the first receiver if it is not given. */
  readonly to?: AddressAttributes;
}

async function lineOf(type: "ud" | "uc" | "rc", hosts: readonly HostName[], options: LineOptions = {}): Promise<Line> {
  const sender = await End.at("H1", type);
  const receivers = await Promise.all(hosts.map((host) => End.at(host, type)));
  const { timeout = 14, retryCnt = 7, minRnrTimer = 12, rnrRetry = 7, receives = 200, to } = options;
  for (const [own, peer, host] of [
    [sender, receivers[0]!, hosts[0]!] as const,
    ...receivers.map((receiver) => [receiver, sender, "H1"] as const),
  ]) {
    const connected = {
      destQpn: peer.pair.qpn,
      address: { port: 1, dlid: rig.lidOf(host) },
      pathMtu: MTU,
      minRnrTimer,
    };
    await own.pair.toRtr(type === "ud" ? {} : connected);
    await own.pair.toRts({ timeout, retryCnt, rnrRetry });
  }
  for (const receiver of receivers) if (receives > 0) receiver.post(receives);
  const source = await rig.at("H1").allocate(SIZE * (COUNT + 2));
  const ah =
    type === "ud"
      ? await rig.at("H1").pd.createAddressHandle(to ?? { port: 1, dlid: rig.lidOf(hosts[0]!) })
      : undefined;
  const qpn = to === undefined ? receivers[0]!.pair.qpn : 0xff_ffff;
  const send = (number: number, slot: number): Promise<string> => {
    const data = { region: source, offset: slot * SIZE, length: lengthOf(type) };
    source.bytes.fill(number & 0xff, data.offset, data.offset + data.length);
    const request: SendRequest = { imm: number, data, ...(ah === undefined ? {} : { to: { ah, qpn, qkey: QKEY } }) };
    return sender.pair.send(request).then(
      ({ status }) => status,
      (error: unknown) => String((error as { details?: Record<string, unknown> }).details?.["status"] ?? error),
    );
  };
  return { sender, receivers, send: (numbers) => Promise.all(numbers.map(send)) };
}

/** A line of datagrams to the members of the group, H2 near and H8 far. */
async function multicastLine(): Promise<Line> {
  const lids = [];
  for (const host of ["H1", "H2", "H8"] as const) lids.push(await rig.join(host));
  const [mlid = 0] = lids;
  expect(new Set(lids)).toEqual(new Set([mlid]));
  const to = { port: 1, dlid: mlid, grh: { dgid: GROUP, sgidIndex: 0, hopLimit: 1 } };
  const line = await lineOf("ud", ["H2", "H8"], { to });
  for (const { pair } of line.receivers) await pair.attachMulticast(GROUP, mlid);
  return line;
}

/** What arrives at each receiver. */
type Outcome =
  | "all, in order"
  /** Some are missing, those that came are in order. */
  | "some, in order"
  /** As `some`, in whatever order. */
  | "some"
  | "all, not in order"
  | "all, twice each"
  | "none";

function check(outcome: Outcome, received: readonly number[]): void {
  const sorted = received.toSorted((a, b) => a - b);
  switch (outcome) {
    case "all, in order":
      return expect(received).toEqual(ALL);
    case "some, in order":
      expect(received).toEqual(sorted);
      return check("some", received);
    case "some":
      expect(new Set(received).size).toBe(received.length);
      expect(received.length).toBeGreaterThan(0);
      return expect(received.length).toBeLessThan(COUNT);
    case "all, not in order":
      expect(received).not.toEqual(sorted);
      return expect(sorted).toEqual(ALL);
    case "all, twice each":
      return expect(received).toEqual(ALL.flatMap((i) => [i, i]));
    case "none":
      return expect(received).toEqual([]);
    default:
      return outcome satisfies never;
  }
}

interface Row {
  readonly fault: string;
  readonly link: readonly [Partial<LinkFault>, string?];
  /** For the reliable connection, which gives up after eight tries in a row that fail: that must not happen by chance. */
  readonly reliableLink?: readonly [Partial<LinkFault>, string?];
  readonly ud: Outcome;
  /** Of the near and of the far member. */
  readonly multicast: readonly [Outcome, Outcome];
  readonly uc: Outcome;
}

// A reliable connection brings all, in order, once, in every row: see below.
const MATRIX: readonly Row[] = [
  {
    fault: "none",
    link: [{}],
    ud: "all, in order",
    multicast: ["all, in order", "all, in order"],
    uc: "all, in order",
  },
  {
    fault: "loss of a twentieth on each link",
    link: [{ lossPercent: 5 }],
    reliableLink: [{ lossPercent: 2 }],
    ud: "some, in order",
    multicast: ["some, in order", "some, in order"],
    uc: "some, in order",
  },
  {
    fault: "delay",
    link: [{ delayMs: 10 }],
    ud: "all, in order",
    multicast: ["all, in order", "all, in order"],
    uc: "all, in order",
  },
  {
    // A packet that comes again is the next in no message: an unreliable connection drops what it belongs to.
    fault: "duplication of every packet, on the sender's link",
    link: [{ duplicatePercent: 100 }, "H1"],
    ud: "all, twice each",
    multicast: ["all, twice each", "all, twice each"],
    uc: "none",
  },
  {
    fault: "reordering, on the sender's link",
    link: [{ reorderPercent: 20 }, "H1"],
    ud: "all, not in order",
    multicast: ["all, not in order", "all, not in order"],
    uc: "some",
  },
  {
    fault: "a one-way route: nothing goes up from the near leaf to the spine",
    link: [{ lossPercent: 100 }, "L1[5]"],
    ud: "none",
    multicast: ["all, in order", "none"],
    uc: "none",
  },
  {
    fault: "a one-way route: nothing comes back to the sender",
    link: [{ lossPercent: 100 }, "L1[1]"],
    ud: "all, in order",
    multicast: ["all, in order", "all, in order"],
    uc: "all, in order",
  },
];

const expected = (outcome: Outcome): number =>
  outcome === "none" ? 0 : outcome.startsWith("some") ? COUNT + 1 : outcome === "all, twice each" ? 2 * COUNT : COUNT;

/** Sends everything under the fault of a row and says what came; no service without acknowledgements hears of it. */
async function play(line: Line, row: Row, outcomes: readonly Outcome[], packets: number): Promise<void> {
  await rig.fault(...row.link);
  using watch = await rig.watchSends("H1");
  expect(await line.send(ALL)).toEqual(ALL.map(() => "success"));
  await watch.until(packets);
  // Held back packets are on their way; those that have been lost are lost.
  for (const [i, receiver] of line.receivers.entries()) {
    const outcome = outcomes[i]!;
    if (outcome.startsWith("all")) await receiver.until(expected(outcome));
  }
  await rig.noFaults();
  expect(await line.send([LAST])).toEqual(["success"]);
  for (const [i, receiver] of line.receivers.entries()) {
    const received = await receiver.until(Number.POSITIVE_INFINITY);
    expect(received.at(-1)).toBe(LAST);
    check(outcomes[i]!, received.slice(0, -1));
    expect((await receiver.pair.query()).state).toBe("rts");
  }
  expect((await line.sender.pair.query()).state).toBe("rts");
}

describe.each(MATRIX)("$fault", (row) => {
  test(`datagrams: ${row.ud}; nobody is told`, async () => {
    await play(await lineOf("ud", ["H8"]), row, [row.ud], COUNT);
  });

  test(`multicast datagrams: ${row.multicast[0]} at the near member, ${row.multicast[1]} at the far one`, async () => {
    await play(await multicastLine(), row, row.multicast, COUNT);
  });

  test(`an unreliable connection, messages of four packets: ${row.uc}, each whole; nobody is told`, async () => {
    await play(await lineOf("uc", ["H8"]), row, [row.uc], COUNT * PACKETS);
  });

  if (row.link[0].lossPercent !== 100) {
    test("a reliable connection: all, in order, once", async () => {
      // Longer than there and back takes, on a machine that is busy with other things too.
      const line = await lineOf("rc", ["H8"], { timeout: 16 });
      await rig.fault(...(row.reliableLink ?? row.link));
      expect(await line.send(ALL)).toEqual(ALL.map(() => "success"));
      check("all, in order", await line.receivers[0]!.until(COUNT));
      await rig.noFaults();
      expect(await line.send([LAST])).toEqual(["success"]);
      expect(await line.receivers[0]!.until(COUNT + 1)).toEqual([...ALL, LAST]);
    });
  } else {
    test("a reliable connection: the first send ends with transport-retry-exceeded after the last retry, the others are flushed", async () => {
      const retryCnt = 2;
      const timeout = 12;
      const line = await lineOf("rc", ["H8"], { timeout, retryCnt });
      await rig.fault(...row.link);
      using watch = await rig.watchSends("H1");
      const begin = performance.now();
      expect(await line.send([7, 8])).toEqual(["transport-retry-exceeded", "work-request-flushed"]);
      // IBA 9.7.6.1.3: no sooner than after the time-out, for the first try and for each retry.
      expect(performance.now() - begin).toBeGreaterThan((retryCnt + 1) * 0.004096 * 2 ** timeout);
      await watch.until((1 + retryCnt) * PACKETS);
      expect((await line.sender.pair.query()).state).toBe("error");
      // The message itself has come through where only the way back is gone.
      const arrived = row.uc === "none" ? [] : [7];
      const receiver = line.receivers[0]!;
      if (arrived.length > 0) await receiver.until(1);
      await receiver.pair.toError();
      for (const one of receiver.cq.poll()) {
        if (one.status === "success") receiver.received.push(one.imm ?? -1);
      }
      expect(receiver.received.filter((number) => number !== 8)).toEqual(arrived);
    });
  }
});

test.each(["uc", "rc"] as const)(
  "a packet of another port does not reach a connection (%s), though it names the queue pair and the next number",
  async (type) => {
    const line = await lineOf(type, ["H8"]);
    using watch = await rig.watchSends("H1");
    await line.send([1]);
    await watch.until(PACKETS);
    for (const original of watch.packets.slice(0, PACKETS)) {
      const packet = Buffer.from(original);
      // LRH: source LID; BTH: packet sequence number.
      packet.writeUInt16BE(rig.lidOf("H2"), 6);
      packet.writeUIntBE(packet.readUIntBE(LRH_SIZE + 9, 3) + PACKETS, LRH_SIZE + 9, 3);
      await rig.request({ op: "send", from: "H2", packet: packet.toString("hex") });
    }
    await line.send([2]);
    expect(await line.receivers[0]!.until(2)).toEqual([1, 2]);
  },
);

describe("the receiver's link goes down and comes back", () => {
  test("datagrams that were sent meanwhile are lost; later ones arrive", async () => {
    const line = await lineOf("ud", ["H8"]);
    await line.send([1]);
    await line.receivers[0]!.until(1);
    await rig.link("H8", "down");
    using watch = await rig.watchSends("H1");
    expect(await line.send([2, 3])).toEqual(["success", "success"]);
    await watch.until(2);
    await rig.link("H8", "up");
    await line.send([LAST]);
    expect(await line.receivers[0]!.until(3)).toEqual([1, LAST]);
  });

  test("multicast datagrams miss the member that was away, and reach it again when it has joined again", async () => {
    const line = await multicastLine();
    await rig.link("H8", "down");
    using watch = await rig.watchSends("H1");
    expect(await line.send([2])).toEqual(["success"]);
    await watch.until(1);
    await rig.link("H8", "up");
    await rig.join("H8");
    await line.send([LAST]);
    expect(await line.receivers[0]!.until(2)).toEqual([2, LAST]);
    expect(await line.receivers[1]!.until(1)).toEqual([LAST]);
  });

  test("an unreliable connection loses what was sent meanwhile, whole messages, and goes on", async () => {
    const line = await lineOf("uc", ["H8"]);
    await rig.link("H8", "down");
    using watch = await rig.watchSends("H1");
    expect(await line.send([2, 3])).toEqual(["success", "success"]);
    await watch.until(2 * PACKETS);
    await rig.link("H8", "up");
    await line.send([LAST]);
    expect(await line.receivers[0]!.until(1)).toEqual([LAST]);
  });

  test("a reliable connection whose retries last longer than that loses nothing", async () => {
    const line = await lineOf("rc", ["H8"], { timeout: 16, retryCnt: 7 });
    await rig.link("H8", "down");
    using watch = await rig.watchSends("H1");
    const sending = line.send(ALL);
    await watch.until(PACKETS);
    expect(line.receivers[0]!.received).toEqual([]);
    await rig.link("H8", "up");
    expect(await sending).toEqual(ALL.map(() => "success"));
    check("all, in order", await line.receivers[0]!.until(COUNT));
  });

  test("a reliable connection that has given up works again from RESET on, once the link is back", async () => {
    const line = await lineOf("rc", ["H8"], { timeout: 12, retryCnt: 1 });
    await rig.link("H8", "down");
    expect(await line.send([1])).toEqual(["transport-retry-exceeded"]);
    await rig.link("H8", "up");
    const [receiver] = line.receivers as readonly [End];
    for (const [own, peer, host] of [[line.sender, receiver, "H8"] as const, [receiver, line.sender, "H1"] as const]) {
      await own.pair.toReset();
      await own.pair.toInit();
      const address = { port: 1, dlid: rig.lidOf(host) };
      await own.pair.toRtr({ destQpn: peer.pair.qpn, address, pathMtu: MTU });
      await own.pair.toRts();
    }
    receiver.post(10);
    expect(await line.send([5, LAST])).toEqual(["success", "success"]);
    expect(await receiver.until(2)).toEqual([5, LAST]);
  });
});

describe("the fabric's time runs a hundred times faster than the machine's", () => {
  const SCALE = 100;
  beforeEach(async () => {
    await rig.close();
    rig = await WireRig.start({ timeScale: SCALE });
  });

  test("the time-out of a reliable connection is the fabric's", async () => {
    const [timeout, retryCnt] = [20, 2];
    const line = await lineOf("rc", ["H8"], { timeout, retryCnt });
    await rig.fault({ lossPercent: 100 });
    const begin = performance.now();
    expect(await line.send([1])).toEqual(["transport-retry-exceeded"]);
    const took = performance.now() - begin;
    const perTry = 0.004096 * 2 ** timeout;
    expect(took).toBeGreaterThan(((retryCnt + 1) * perTry) / SCALE);
    // At the machine's pace not even the first time-out would be over.
    expect(took).toBeLessThan(perTry);
  });

  test("so is the time that a receiver without a receive asks for", async () => {
    // Timer code 0: 655.36 ms (IBA table 45).
    const rnrRetry = 6;
    const line = await lineOf("rc", ["H8"], { minRnrTimer: 0, rnrRetry, receives: 0 });
    const begin = performance.now();
    expect(await line.send([1])).toEqual(["rnr-retry-exceeded"]);
    const took = performance.now() - begin;
    expect(took).toBeGreaterThan((rnrRetry * 655.36) / SCALE);
    expect(took).toBeLessThan(rnrRetry * 655.36);
  });
});
