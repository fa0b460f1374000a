import { Mtu } from "@verbena/ib";
import { wayTo } from "./address.js";
import { RECEIVE, SEND } from "./rally.js";

/**
 * The completion queue of an end: with a channel that raises events, or to be polled.
 * @param {import("@verbena/native").Context} context
 * @param {number} depth
 * @param {import("./arguments.js").Options} options
 */
export async function openQueue(context, depth, { events }) {
  if (!events) return context.createCompletionQueue({ depth });
  return context.createCompletionQueue({ depth, channel: await context.createCompletionChannel() });
}

/**
 * From INIT to RTS: from now on `pair` and its peer may send to each other.
 * @param {import("@verbena/native").QueuePair} pair
 * @param {import("./address.js").Address} remote
 * @param {import("./address.js").Address} mine
 * @param {import("./arguments.js").Options} options
 */
export async function connect(pair, remote, mine, options) {
  const pathMtu = Mtu.fromBytes(options.mtu) ?? Mtu.MTU_1024;
  await pair.toRtr({ destQpn: remote.qpn, rqPsn: remote.psn, pathMtu, address: wayTo(remote, options) });
  await pair.toRts({ sqPsn: mine.psn });
}

/**
 * An end with one connected queue pair.
 * @param {"rc" | "uc"} type
 * @param {import("@verbena/native").Context} context
 * @param {import("./arguments.js").Options} options
 * @returns {Promise<import("./rally.js").End>}
 */
export async function openConnected(type, context, options) {
  const { size, rxDepth, ibPort } = options;
  const pd = await context.createProtectionDomain();
  // Memory comes in whole pages. What arrives is written over what was sent: the game does not look at it.
  const data = { region: await pd.allocate(size), length: size };
  const cq = await openQueue(context, rxDepth + 1, options);
  const pair = await pd.createQueuePair({ type, sendCq: cq, maxSendWr: 1, maxRecvWr: rxDepth });
  await pair.toInit({ port: ibPort });
  return {
    cq,
    pairs: [pair],
    addresses: 1,
    postReceives: (count) => pair.postReceive(Array(count).fill({ wrId: RECEIVE, data })),
    connect: (_pair, remote, mine) => connect(pair, remote, mine, options),
    send: () => pair.postSend([{ wrId: SEND, data }]),
  };
}
