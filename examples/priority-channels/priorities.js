import { Gid } from "@verbena/ib";

/** @typedef {import("@verbena/native").Context} Context */
/** @typedef {import("@verbena/native").CompletionQueue} CompletionQueue */
/** @typedef {import("@verbena/native").QueuePair} QueuePair */

/** Both ends agree on it; datagrams with another are dropped. */
const QKEY = 0x1111_1111;

/** Sends that a queue pair has under way. */
const IN_FLIGHT = 32;

/** Completions of one batch: what an urgent one may have to wait for. */
const BATCH = 4;

/** Classes, the most urgent first, and how many queues each has. Those that are loaded have all their sends under way, always. */
const CLASSES = [
  { name: "urgent", queues: 1, isLoaded: false },
  { name: "normal", queues: 4, isLoaded: true },
  { name: "bulk", queues: 16, isLoaded: true },
];

/**
 * What one class got.
 * @typedef {object} ClassReport
 * @property {string} name
 * @property {number} queues
 * @property {number} batches
 * @property {number} completions
 */

/**
 * What all this is about.
 * @typedef {object} Report
 * @property {readonly ClassReport[]} classes
 * @property {readonly number[]} waits for each urgent completion: how many batches of other classes came between its post and itself
 * @property {readonly number[]} delaysUs and how long that took, microseconds
 */

/**
 * The way from a port to itself: by LID, or with a GRH on Ethernet, which has none.
 * @param {Context} context
 */
function toSelf(context) {
  const { lid, linkLayer } = context.queryPort(1);
  if (linkLayer !== "ethernet") return { port: 1, dlid: lid };
  return { port: 1, grh: { dgid: context.gids(1)[0] ?? Gid.zero, sgidIndex: 0 } };
}

/**
 * Reads `batches` batches of three classes of completions through one group, while two of the classes have work all the time and the urgent
 * one now and then. The caller closes the services.
 * @param {import("@verbena/native").Native} native
 * @param {Context} context
 * @param {{ readonly batches: number, readonly lowerShare: number }} options
 * @returns {Promise<Report>}
 */
export async function readByPriority(native, context, { batches, lowerShare }) {
  const pd = await context.createProtectionDomain();
  const ah = await pd.createAddressHandle(toSelf(context));
  const group = native.verbs.openChannelGroup({ lowerShare });
  /** @type {Map<CompletionQueue, { readonly priority: number, readonly pair: QueuePair }>} */
  const queues = new Map();
  for (const [priority, { queues: count }] of CLASSES.entries()) {
    // One channel for each class; its queues share it.
    const channel = await context.createCompletionChannel();
    group.add(channel, { priority });
    for (let i = 0; i < count; i++) {
      const cq = await context.createCompletionQueue({ depth: IN_FLIGHT, channel, batchSize: BATCH });
      const pair = await pd.createQueuePair({ type: "ud", sendCq: cq, maxSendWr: IN_FLIGHT, maxRecvWr: 0 });
      await pair.toInit({ qkey: QKEY });
      await pair.toRtr();
      await pair.toRts();
      queues.set(cq, { priority, pair });
    }
  }

  /**
   * Datagrams that nobody has a receive for: they are dropped, and their sends complete.
   * @type {(pair: QueuePair, count: number) => void}
   */
  const send = (pair, count) => {
    pair.postSend(Array.from({ length: count }, () => ({ to: { ah, qpn: pair.qpn, qkey: QKEY } })));
  };

  const classes = CLASSES.map(({ name, queues: count }) => ({ name, queues: count, batches: 0, completions: 0 }));
  /** @type {number[]} */
  const waits = [];
  /** @type {number[]} */
  const delaysUs = [];
  /** @type {{ readonly at: number, waited: number } | undefined} */
  let posted;
  const [urgent] = [...queues.values()].map(({ pair }) => pair);
  for (const { priority, pair } of queues.values()) if (CLASSES[priority]?.isLoaded === true) send(pair, IN_FLIGHT);

  let read = 0;
  for await (const batch of group.completions()) {
    const now = performance.now();
    const from = queues.get(batch.cq);
    const counts = classes[from?.priority ?? 0];
    if (from === undefined || counts === undefined) throw new Error("a batch of a queue that is not ours");
    for (let i = 0; i < batch.length; i++) if (batch.statusCode(i) !== 0) throw new Error(batch.at(i).status);
    counts.batches++;
    counts.completions += batch.length;
    if (from.priority === 0 && posted !== undefined) {
      waits.push(posted.waited);
      delaysUs.push((now - posted.at) * 1000);
      posted = undefined;
    } else {
      if (posted !== undefined) posted.waited++;
      // The load goes on.
      send(from.pair, batch.length);
    }
    // Every tenth batch something urgent comes up, while the batch in hand is being dealt with: it counts as waited for.
    if (++read % 10 === 0 && posted === undefined && urgent !== undefined) {
      posted = { at: performance.now(), waited: from.priority === 0 ? 0 : 1 };
      send(urgent, 1);
    }
    if (read === batches) break;
  }
  await group.close();
  return { classes, waits, delaysUs };
}
