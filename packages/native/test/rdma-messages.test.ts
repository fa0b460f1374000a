import { Gid } from "@verbena/ib";
import type { Completion, CompletionQueue } from "../src/index.js";
import { joinGroup } from "./multicast-membership.js";
import { type Bench, QKEY, Rig } from "./rig.js";
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

/** Polls until `count` completions have come, as a program with a loop of its own does. */
async function collect(cq: CompletionQueue, count: number): Promise<readonly Completion[]> {
  const all: Completion[] = [];
  while (all.length < count) {
    all.push(...cq.poll());
    await new Promise((resolve) => setImmediate(resolve));
  }
  return all;
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

test.each(["rc", "uc"] as const)("%s: a message with immediate data, sent and received", async (type) => {
  const cq = await bench.queue();
  const region = await bench.allocate(4096);
  const [a, b] = await bench.pair(type, cq);
  Buffer.from("hello").copy(region.bytes);
  b.postReceive([{ wrId: 7, data: region.slice(1024, 1024) }]);
  a.postSend([{ wrId: 9, data: region.slice(0, 5), imm: 0x0102_0304 }]);
  const [received, sent] = await collect(cq, 2);
  expect(received).toMatchObject({
    wrId: 7,
    status: "success",
    opcode: "receive",
    byteLength: 5,
    imm: 0x0102_0304,
    qpn: b.qpn,
    hasGrh: bench.toSelf.grh !== undefined,
  });
  expect(sent).toMatchObject({ wrId: 9, status: "success", opcode: "send", imm: undefined, qpn: a.qpn });
  expect(text(region.bytes.subarray(1024, 1029))).toBe("hello");
});

test("a message is gathered from several pieces and scattered into several", async () => {
  const cq = await bench.queue();
  const region = await bench.allocate(4096);
  const [a, b] = await bench.pair("rc", cq, { maxSendSge: 3, maxRecvSge: 2 });
  Buffer.from("abcdef").copy(region.bytes);
  b.postReceive([{ data: [region.slice(100, 4), region.slice(200, 8)] }]);
  a.postSend([{ data: [region.slice(4, 2), region.slice(0, 2), region.slice(2, 2)] }]);
  const [received] = await collect(cq, 2);
  expect(received?.byteLength).toBe(6);
  expect(text(region.bytes.subarray(100, 104)) + text(region.bytes.subarray(200, 202))).toBe("efabcd");
});

test("an unsignalled inline send frees its buffer at once and makes no completion", async () => {
  const cq = await bench.queue();
  const region = await bench.allocate(4096);
  const [a, b] = await bench.pair("rc", cq, { maxInline: 64 });
  expect(a.caps.maxInline).toBeGreaterThanOrEqual(64);
  Buffer.from("inlined").copy(region.bytes);
  b.postReceive([{ wrId: 8, data: region.slice(2048, 16) }]);
  a.postSend([{ data: region.slice(0, 7), inline: true, signaled: false }]);
  region.bytes.fill(0, 0, 7);
  const [received] = await collect(cq, 1);
  expect(received?.wrId).toBe(8);
  expect(text(region.bytes.subarray(2048, 2055))).toBe("inlined");
  expect(cq.poll()).toHaveLength(0);
});

test("unsignalled requests hold their credits until a later one completes", async () => {
  const cq = await bench.queue();
  const region = await bench.allocate(4096);
  const [a, b] = await bench.pair("rc", cq, { maxSendWr: 4 });
  expect(a.sendCredits).toBe(4);
  b.postReceive(Array.from({ length: 4 }, () => ({ data: region.slice(0, 8) })));
  a.postSend([{ signaled: false }, { signaled: false }, { signaled: false }]);
  expect(a.sendCredits).toBe(1);
  expect(() => a.postSend([{}, {}])).toThrow(expect.objectContaining({ code: "VERBENA_NATIVE_QUEUE_FULL" }));
  a.postSend([{ wrId: 4 }]);
  const all = await collect(cq, 5);
  expect(all.filter((completion) => completion.opcode === "send").map((completion) => completion.wrId)).toEqual([4]);
  expect(a.sendCredits).toBe(4);
});

test("a datagram carries its sender, and 40 bytes are left in front of it", async () => {
  const cq = await bench.queue();
  const region = await bench.allocate(4096);
  const [a, b] = await bench.pair("ud", cq);
  const ah = await bench.pd.createAddressHandle(bench.toSelf);
  Buffer.from("datagram").copy(region.bytes);
  b.postReceive([{ wrId: 2, data: region.slice(1024, 104) }]);
  a.postSend([{ wrId: 1, data: region.slice(0, 64), to: { ah, qpn: b.qpn, qkey: QKEY } }]);
  const [received, sent] = await collect(cq, 2);
  expect(received).toMatchObject({ wrId: 2, byteLength: 104, srcQpn: a.qpn, slid: bench.context.queryPort(1).lid });
  expect(sent?.wrId).toBe(1);
  expect(text(region.bytes.subarray(1064, 1072))).toBe("datagram");
});

test("a datagram with the wrong Q_Key is lost, and so is one that is longer than the MTU", async () => {
  const cq = await bench.queue();
  const region = await bench.allocate(8192);
  const [a, b] = await bench.pair("ud", cq);
  const ah = await bench.pd.createAddressHandle(bench.toSelf);
  b.postReceive([{ wrId: 2, data: { region } }]);
  a.postSend([{ wrId: 1, data: region.slice(0, 8), to: { ah, qpn: b.qpn, qkey: QKEY + 1 } }]);
  expect((await collect(cq, 1)).map((completion) => completion.wrId)).toEqual([1]);
  expect(b.receiveCredits).toBe(63);
  a.postSend([{ wrId: 3, data: region.slice(0, 4097), to: { ah, qpn: b.qpn, qkey: QKEY } }]);
  // Whether the sender hears of it is the device's choice (IBA C10-93.1.1).
  const [sent] = await collect(cq, 1);
  expect(sent?.wrId).toBe(3);
  if (sent?.status === "success") expect((await a.query()).state).toBe("rts");
  else {
    expect(sent).toMatchObject({ status: "local-length-error", statusCode: 1 });
    expect((await a.query()).state).toBe("sqe");
  }
  expect(b.receiveCredits).toBe(63);
});

test("multicast reaches every member with a GRH, and those that have left no more", async () => {
  const cq = await bench.queue();
  const region = await bench.allocate(4096);
  const pairs = await bench.pair("ud", cq);
  const [a, b] = pairs;
  const group = Gid.parse("ff12:401b:ffff::1");
  using _membership = await joinGroup(bench.context, group);
  for (const [i, pair] of pairs.entries()) {
    await pair.attachMulticast(group, 0xc001);
    pair.postReceive([{ data: region.slice(1024 * (i + 1), 512) }]);
  }
  const ah = await bench.pd.createAddressHandle({
    port: 1,
    dlid: 0xc001,
    grh: { dgid: group, sgidIndex: 0, hopLimit: 3 },
  });
  a.postSend([{ data: region.slice(0, 32), signaled: false, to: { ah, qpn: 0xff_ffff, qkey: QKEY } }]);
  const received = await collect(cq, 2);
  expect(new Set(received.map((completion) => completion.qpn))).toEqual(new Set([a.qpn, b.qpn]));
  expect(received.every((completion) => completion.hasGrh)).toBe(true);
  expect(Gid.read(Buffer.from(region.bytes.buffer, 2048 + 24, 16))).toBe(group);
  await b.detachMulticast(group, 0xc001);
  await expect(b.detachMulticast(group, 0xc001)).rejects.toEqual(
    expect.objectContaining({ code: "VERBENA_NATIVE_MODIFY", errno: 22, syscall: "ibv_detach_mcast" }),
  );
  // a is still attached: closing leaves the group first.
});

test("RDMA write and read move memory without the peer's doing", async () => {
  const cq = await bench.queue();
  const region = await bench.allocate(4096);
  const [a, b] = await bench.pair("rc", cq);
  const remote = (offset: number) => ({ remoteAddress: region.address + BigInt(offset), rkey: region.rkey });
  Buffer.from("written").copy(region.bytes);
  a.postSend([{ opcode: "rdma-write", wrId: 1, data: region.slice(0, 7), ...remote(1024) }]);
  expect((await collect(cq, 1))[0]).toMatchObject({ wrId: 1, status: "success", opcode: "rdma-write" });
  a.postSend([{ opcode: "rdma-read", wrId: 2, data: region.slice(2048, 7), ...remote(1024) }]);
  expect((await collect(cq, 1))[0]).toMatchObject({ wrId: 2, opcode: "rdma-read", byteLength: 7 });
  expect(text(region.bytes.subarray(2048, 2055))).toBe("written");
  b.postReceive([{ wrId: 5, data: region.slice(3000, 8) }]);
  a.postSend([{ opcode: "rdma-write", wrId: 3, data: region.slice(0, 7), imm: 5, ...remote(1024) }]);
  expect((await collect(cq, 2))[0]).toMatchObject({ wrId: 5, opcode: "receive-rdma-with-imm", imm: 5, byteLength: 7 });
});

test("atomics give the old value and change the peer's", async () => {
  const cq = await bench.queue();
  const region = await bench.allocate(4096);
  const [a] = await bench.pair("rc", cq);
  const cells = new BigUint64Array(region.bytes.buffer);
  const remote = { remoteAddress: region.address + 512n, rkey: region.rkey };
  cells[64] = 40n;
  a.postSend([{ opcode: "fetch-and-add", add: 2n, data: region.slice(600, 8), ...remote }]);
  expect((await collect(cq, 1))[0]).toMatchObject({ status: "success", opcode: "fetch-and-add" });
  expect([cells[75], cells[64]]).toEqual([40n, 42n]);
  a.postSend([{ opcode: "compare-and-swap", compare: 42n, swap: 7n, data: region.slice(600, 8), ...remote }]);
  expect((await collect(cq, 1))[0]).toMatchObject({ status: "success", opcode: "compare-and-swap" });
  expect([cells[75], cells[64]]).toEqual([42n, 7n]);
});

test("a write to memory that does not allow it: remote access error, both ends stop, later requests are flushed", async () => {
  const cq = await bench.queue();
  const region = await bench.allocate(4096);
  const guarded = await bench.pd.allocate(64);
  const [a, b] = await bench.pair("rc", cq);
  a.postSend([{ opcode: "rdma-write", data: region.slice(0, 7), remoteAddress: guarded.address, rkey: guarded.rkey }]);
  expect((await collect(cq, 1))[0]).toMatchObject({ status: "remote-access-error", statusCode: 10 });
  a.postSend([{ wrId: 2, data: region.slice(0, 7) }]);
  expect((await collect(cq, 1))[0]).toMatchObject({ wrId: 2, status: "work-request-flushed", qpn: a.qpn });
  expect((await a.query()).state).toBe("error");
  while ((await b.query()).state !== "error") await new Promise((resolve) => setImmediate(resolve));
});

testOfSimulator(
  "not every device raises this event",
  "a peer is refused access: an event of the queue pair that refuses it",
  async () => {
    const region = await bench.allocate(64);
    const guarded = await bench.pd.allocate(64);
    const [a, b] = await bench.pair("rc", await bench.queue());
    const events = bench.context.events();
    const { address: remoteAddress, rkey } = guarded;
    a.postSend([{ opcode: "rdma-write", data: region.slice(0, 7), remoteAddress, rkey }]);
    expect((await events.next()).value).toEqual({ type: "qp-access-err", qpn: b.qpn });
  },
);

test("no receive is posted: receiver not ready, until the retries are used up", async () => {
  const cq = await bench.queue();
  const region = await bench.allocate(64);
  const [a] = await bench.pair("rc", cq, { rnrRetry: 1 });
  a.postSend([{ wrId: 1, data: region.slice(0, 8) }]);
  expect((await collect(cq, 1))[0]).toMatchObject({ wrId: 1, status: "rnr-retry-exceeded" });
});

test("a shared receive queue feeds several queue pairs, and tells when it runs low", async () => {
  const cq = await bench.queue();
  const region = await bench.allocate(4096);
  const srq = await bench.pd.createSharedReceiveQueue({ maxWr: 16 });
  const [a, b] = await bench.pair("rc", cq, { srq });
  const events = bench.context.events();
  expect(cq.reserved).toBe(64 + 64 + 16);
  srq.postReceive([100, 101, 102, 103].map((wrId, i) => ({ wrId, data: region.slice(64 * i, 64) })));
  expect(srq.credits).toBe(12);
  await srq.setLimit(3);
  a.postSend([{ signaled: false, data: region.slice(0, 8) }]);
  b.postSend([{ signaled: false, data: region.slice(0, 8) }]);
  const received = await collect(cq, 2);
  expect(received.map(({ wrId, qpn }) => [wrId, qpn])).toEqual([
    [100, b.qpn],
    [101, a.qpn],
  ]);
  expect((await events.next()).value).toEqual({ type: "srq-limit-reached", srq: srq.id });
  expect(srq.credits).toBe(14);
  expect(() => b.postReceive([{}])).toThrow(expect.objectContaining({ code: "VERBENA_NATIVE_OPTION" }));
  await srq.close();
  expect(cq.reserved).toBe(0);
});

test("prepared requests are translated once and posted many times", async () => {
  const cq = await bench.queue();
  const region = await bench.allocate(4096);
  const [a, b] = await bench.pair("rc", cq);
  using receives = b.prepareReceive([1, 2].map((wrId) => ({ wrId, data: region.slice(1024, 64) })));
  using sends = a.prepareSend([3, 4].map((wrId) => ({ wrId, data: region.slice(0, 64) })));
  for (let round = 0; round < 100; round++) {
    receives.post();
    sends.post();
    const all = await collect(cq, 4);
    expect(all.map((completion) => completion.wrId).sort()).toEqual([1, 2, 3, 4]);
    expect(all.every((completion) => completion.status === "success")).toBe(true);
  }
  await region.close();
  expect(() => sends.post()).toThrow(expect.objectContaining({ code: "VERBENA_NATIVE_POST" }));
  await a.close();
  expect(() => sends.post()).toThrow();
});

test("the device's refusal of one request of a list says how many it has taken", async () => {
  const cq = await bench.queue();
  const region = await bench.allocate(4096);
  const [a, b] = await bench.pair("rc", cq);
  b.postReceive([{ data: { region } }]);
  // More inline data than the queue pair was made for.
  expect(() => a.postSend([{ wrId: 1 }, { wrId: 2, inline: true, data: { region } }])).toThrow(
    expect.objectContaining({
      code: "VERBENA_NATIVE_POST",
      syscall: "ibv_post_send",
      details: expect.objectContaining({ posted: 1 }) as unknown,
    }),
  );
  const all = await collect(cq, 2);
  expect(all.map((completion) => completion.wrId)).toEqual([0, 1]);
  expect(a.sendCredits).toBe(64);
});
