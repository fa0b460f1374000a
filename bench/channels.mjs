// pnpm bench channels [--seconds S] [--write]
//
// Completion channels under load: 100 completion queues on 1, 2 and 100 channels, on one and on all completion vectors; three classes of
// priority; a thread for each channel.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { describeMachine } from "./lib/machine.mjs";
import { percentile } from "./lib/percentiles.mjs";
import { writeSection } from "./lib/performance-page.mjs";
import { nowUs, openReceiver } from "./lib/stamped.mjs";
import { table } from "./lib/table.mjs";
import { threadTimeUs } from "./lib/thread-time.mjs";
import { startThread } from "./lib/threads.mjs";

const root = join(import.meta.dirname, "..");
const require = createRequire(import.meta.url);
const { openNative } = require("@verbena/native");
const { libfabricsimPath, startFabricThread, twoLevel } = require("@verbena/fabric-sim");

const POSTER = new URL("./lib/stamped-poster.mjs", import.meta.url);
const READER = new URL("./lib/stamped-reader.mjs", import.meta.url);

const QUEUES = 100;
/** Of the steady load: messages in each millisecond, to the next queues in turn. */
const BURST = 20;
/** Of the classes: queues, batch, one batch of so many for lower classes. */
const [CLASSES, BATCH, LOWER_SHARE] = [[22, 21, 21], 16, 8];
/** Of the threads: what the other one works on each of its messages. */
const WORK_US = 1000;

const { values } = parseArgs({
  options: { seconds: { type: "string", default: "1" }, write: { type: "boolean", default: false } },
});
const seconds = Number(values.seconds);
const dir = mkdtempSync(join(tmpdir(), "verbena-channels-"));
const fabric = await startFabricThread({ topology: twoLevel({ hosts: 2 }), dir: join(dir, "fabric") });
const options = { fabric: { dir: fabric.dir, node: "H1", library: libfabricsimPath() } };
const native = openNative(options);

/** `count` queues with a connected pair each, spread over the channels in turn. */
async function openSenders(context, channels, count, { vector = "auto", batchSize = 256, depth = 64 } = {}) {
  const pd = await context.createProtectionDomain();
  const { lid } = context.queryPort(1);
  const senders = [];
  for (let i = 0; i < count; i++) {
    const channel = channels[i % channels.length];
    const cq = await context.createCompletionQueue({ depth: 2 * depth, channel, vector, batchSize });
    const create = () => pd.createQueuePair({ type: "uc", sendCq: cq, maxSendWr: depth, maxRecvWr: 0 });
    const pairs = [await create(), await create()];
    for (const [own, peer] of [pairs, pairs.toReversed()]) {
      await own.toInit();
      await own.toRtr({ destQpn: peer.qpn, address: { port: 1, dlid: lid } });
      await own.toRts();
    }
    senders.push({ cq, pair: pairs[0], send: pairs[0].prepareSend([{}]), postedUs: 0 });
  }
  return senders;
}

const openChannels = (context, count) =>
  Promise.all(Array.from({ length: count }, () => context.createCompletionChannel()));

/** As many events as one thread can take: each queue has an event waiting all the time, and is posted to again after it. */
async function capacity(channelCount, vector) {
  const context = native.verbs.open("sim0");
  const channels = await openChannels(context, channelCount);
  const senders = await openSenders(context, channels, QUEUES, { vector });
  const byQueue = new Map(senders.map((sender) => [sender.cq, sender]));
  const group = native.verbs.openChannelGroup({ maxEvents: QUEUES });
  for (const channel of channels) group.add(channel);
  const post = (sender) => {
    sender.cq.arm();
    sender.postedUs = nowUs();
    sender.send.post();
  };
  for (const sender of senders) post(sender);
  const ages = [];
  let events = 0;
  let [begin, cpu] = [nowUs(), threadTimeUs()];
  let end = begin + seconds * 0.2e6;
  let isWarm = false;
  for (;;) {
    for (const { cq } of await group.wait()) {
      events++;
      const sender = byQueue.get(cq);
      for (let batch = cq.poll(); batch.length > 0; batch = cq.poll()) ages.push(nowUs() - sender.postedUs);
      post(sender);
    }
    if (nowUs() < end) continue;
    if (isWarm) break;
    isWarm = true;
    [events, ages.length, begin, cpu] = [0, 0, nowUs(), threadTimeUs()];
    end = begin + seconds * 1e6;
  }
  const rate = (events * 1e6) / (nowUs() - begin);
  const cpuUs = (threadTimeUs() - cpu) / events;
  await group.close();
  await context.close();
  return { rate, p99: percentile(ages, 0.99), cpuUs };
}

/** A steady load from another thread; read by an iterator of each queue, or by one of a group. */
async function load(channelCount, vector, isGrouped) {
  const context = native.verbs.open("sim0");
  const pd = await context.createProtectionDomain();
  const channels = await openChannels(context, channelCount);
  const receivers = new Map();
  for (let i = 0; i < QUEUES; i++) {
    const channel = channels[i % channels.length];
    const cq = await context.createCompletionQueue({ depth: 64, channel, vector });
    receivers.set(cq, await openReceiver(pd, cq));
  }
  const bursts = Math.round(seconds * 1000);
  const poster = await startThread(POSTER, { options, intervalMs: 1, burst: BURST, bursts });
  const ages = [];
  const take = (batch) => receivers.get(batch.cq).take(batch, (age) => ages.push(age));
  const read = async (batches) => {
    for await (const batch of batches) take(batch);
  };
  const group = native.verbs.openChannelGroup();
  if (isGrouped) for (const channel of channels) group.add(channel);
  const readers = isGrouped ? [read(group.completions())] : [...receivers.keys()].map((cq) => read(cq.completions()));
  const [begin, cpu] = [nowUs(), threadTimeUs()];
  await poster.ask({ qpns: [...receivers.values()].map(({ qpn }) => qpn) });
  const share = (threadTimeUs() - cpu) / (nowUs() - begin);
  await group.close();
  await context.close();
  await Promise.all(readers);
  // The first fifth is for the compiler.
  const counted = ages.slice(ages.length / 5);
  return { p50: percentile(counted, 0.5), p99: percentile(counted, 0.99), cpu: share };
}

/** Three classes; the queues of `loaded` always have more than a batch. Urgent completions come one at a time if their class is not loaded. */
async function classes(loaded) {
  const context = native.verbs.open("sim0");
  const group = native.verbs.openChannelGroup({ lowerShare: LOWER_SHARE });
  const byQueue = new Map();
  const urgent = [];
  for (const [priority, count] of CLASSES.entries()) {
    const channel = await context.createCompletionChannel();
    group.add(channel, { priority });
    for (const sender of await openSenders(context, [channel], count, { batchSize: BATCH })) {
      byQueue.set(sender.cq, {
        ...sender,
        priority,
        refill: sender.pair.prepareSend(Array.from({ length: BATCH }, () => ({}))),
      });
      if (priority === 0) urgent.push(byQueue.get(sender.cq));
    }
  }
  for (const sender of byQueue.values()) {
    if (loaded.includes(sender.priority)) for (let i = 0; i < 3; i++) sender.refill.post();
  }
  const batches = CLASSES.map(() => 0);
  const ages = [];
  let mostWaited;
  let total = 0;
  let posted;
  const postUrgent = (lower) => {
    if (loaded.includes(0) || posted !== undefined) return;
    posted = { sender: urgent[ages.length % urgent.length], atUs: nowUs(), lower };
    posted.sender.send.post();
  };
  const begin = nowUs();
  postUrgent(0);
  for await (const { cq, length } of group.completions()) {
    const sender = byQueue.get(cq);
    batches[sender.priority]++;
    total += length;
    if (sender === posted?.sender) {
      ages.push(nowUs() - posted.atUs);
      mostWaited = Math.max(mostWaited ?? 0, posted.lower);
      posted = undefined;
    } else if (posted !== undefined && sender.priority > 0) {
      posted.lower++;
    }
    if (loaded.includes(sender.priority)) sender.refill.post();
    postUrgent(sender.priority > 0 ? 1 : 0);
    if (nowUs() - begin > seconds * 1e6) break;
  }
  const tookUs = nowUs() - begin;
  await group.close();
  await context.close();
  const sum = batches.reduce((one, other) => one + other, 0);
  return {
    loaded,
    shares: batches.map((count) => count / sum),
    rate: (total * 1e6) / tookUs,
    ages,
    mostWaited,
  };
}

/** Ages of urgent messages, one each millisecond, beside as many that take a millisecond of work each. */
async function threads(isBusy, areTogether) {
  const roles = areTogether ? [["urgent", "bulk"]] : [["urgent"], ["bulk"]];
  const readers = [];
  for (const own of roles) {
    readers.push(await startThread(READER, { options, roles: own, workUs: WORK_US }));
  }
  const { urgent, bulk } = Object.assign({}, ...readers.map(({ first }) => first));
  const qpns = isBusy ? [bulk, urgent] : [urgent];
  const bursts = Math.round(seconds * 1000);
  const poster = await startThread(POSTER, { options, intervalMs: 1, burst: qpns.length, bursts });
  await poster.ask({ qpns });
  const answers = await Promise.all(readers.map((reader) => reader.ask("stop")));
  const ages = answers.flatMap((answer) => answer.ages);
  return { median: percentile(ages, 0.5), p99: percentile(ages, 0.99), messages: ages.length };
}

const machine = describeMachine();
const vectorCount = 4;
const spread = [];
for (const vector of [0, "auto"]) {
  for (const channels of [1, 2, QUEUES]) {
    const full = await capacity(channels, vector);
    const own = await load(channels, vector, false);
    const grouped = await load(channels, vector, true);
    spread.push({ channels, vectors: vector === "auto" ? vectorCount : 1, full, own, grouped });
  }
}
const priorities = [await classes([0, 1, 2]), await classes([1, 2]), await classes([])];
const beside = [
  ["a thread each, the other idle", await threads(false, false)],
  ["a thread each, the other busy", await threads(true, false)],
  ["one thread for both, busy", await threads(true, true)],
];
await native.close();
await fabric.close();
rmSync(dir, { recursive: true });

const round = (value) => Math.round(value).toLocaleString("en");
const percent = (value) => `${(value * 100).toFixed(0)} %`;
const date = new Date().toISOString().slice(0, 10);
const text = `## Completion channels

${QUEUES} completion queues, one event for each completion (${date}, ${machine}). At full load one thread waits on a group of the channels, arms and polls the
queue of each event, and posts to it again; the time is from post to completion in hand, with all queues having an event waiting. At
${round(BURST * 1000)}/s, posted by another thread in bursts of ${BURST} each millisecond, every queue has a reader of its own, or a group has one; processor time is of
the reading thread. Vectors of the simulator are numbers only: they show that nothing is lost by using them.

${table(
  [
    "channels",
    "vectors",
    "events/s, full",
    "p99 µs, full",
    "CPU µs/event",
    "p50 µs, readers",
    "p99 µs",
    "CPU",
    "p50 µs, group",
    "p99 µs",
    "CPU",
  ],
  spread.map(({ channels, vectors, full, own, grouped }) => [
    channels,
    vectors,
    round(full.rate),
    round(full.p99),
    full.cpuUs.toFixed(1),
    round(own.p50),
    round(own.p99),
    percent(own.cpu),
    round(grouped.p50),
    round(grouped.p99),
    percent(grouped.cpu),
  ]),
)}
Three classes of ${CLASSES.join(", ")} queues in a group, batches of ${BATCH}, one of ${LOWER_SHARE} for lower classes. Where the urgent class is not loaded it has one completion
at a time, posted at once after the one before; "waited" is the most batches of lower classes that came before one.

${table(
  ["loaded classes", "completions/s", "share 0", "share 1", "share 2", "urgent p50 µs", "urgent p99 µs", "waited"],
  priorities.map(({ loaded, shares, rate, ages, mostWaited }) => [
    loaded.length === 0 ? "none" : loaded.join(", "),
    round(rate),
    ...shares.map((share) => `${(share * 100).toFixed(1)} %`),
    ages.length === 0 ? "" : percentile(ages, 0.5).toFixed(1),
    ages.length === 0 ? "" : percentile(ages, 0.99).toFixed(1),
    mostWaited ?? "",
  ]),
)}
An urgent message each millisecond on a channel of its own, beside messages that take ${WORK_US / 1000} ms of work each; microseconds from post to completion in hand:

${table(
  ["threads", "messages", "p50 µs", "p99 µs"],
  beside.map(([name, { messages, median, p99 }]) => [name, round(messages), round(median), round(p99)]),
)}`;
process.stdout.write(text);
for (const { loaded, mostWaited } of priorities) {
  if (mostWaited === undefined || mostWaited <= 1) continue;
  process.stderr.write(
    `bench channels: with classes ${loaded.join(", ")} loaded an urgent completion waited for ${mostWaited} batches\n`,
  );
  process.exitCode = 1;
}
const folder = join(root, "build", "bench");
mkdirSync(folder, { recursive: true });
const kept = { spread, priorities: priorities.map(({ ages: _, ...rest }) => rest), beside };
writeFileSync(join(folder, "channels.json"), `${JSON.stringify({ machine, date, ...kept }, undefined, 2)}\n`);
if (values.write) writeSection(join(root, "docs", "performance.md"), "channels", text);
