// Messages to and fro over several reliable connections that take their receives from one queue; either end can be ibv_srq_pingpong.
import { connect, openQueue } from "./connected.js";
import { main } from "./program.js";
import { RECEIVE, SEND } from "./rally.js";

/** The rendez-vous always has this many addresses; those beyond --num-qp are empty. */
const ADDRESSES = 256;

await main({ program: "srq.js", defaults: { "num-qp": 16 } }, async (context, options) => {
  const { size, rxDepth, ibPort } = options;
  const pd = await context.createProtectionDomain();
  const data = { region: await pd.allocate(size), length: size };
  const cq = await openQueue(context, rxDepth + options.pairs, options);
  const srq = await pd.createSharedReceiveQueue({ maxWr: rxDepth });
  const create = () => pd.createQueuePair({ type: "rc", sendCq: cq, srq, maxSendWr: 1 });
  const pairs = await Promise.all(Array.from({ length: options.pairs }, create));
  for (const pair of pairs) await pair.toInit({ port: ibPort });
  return {
    cq,
    pairs,
    addresses: ADDRESSES,
    postReceives: (count) => srq.postReceive(Array(count).fill({ wrId: RECEIVE, data })),
    connect: (pair, remote, mine) => connect(pair, remote, mine, options),
    send: (pair) => pair.postSend([{ wrId: SEND, data }]),
  };
});
