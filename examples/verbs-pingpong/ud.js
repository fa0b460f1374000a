// Datagrams to and fro, where a lost one ends the game; either end can be ibv_ud_pingpong.
import { wayTo } from "./address.js";
import { openQueue } from "./connected.js";
import { main } from "./program.js";
import { RECEIVE, SEND } from "./rally.js";

/** Both ends agree on it; datagrams with another are dropped. */
const QKEY = 0x1111_1111;

/** In front of each datagram the device leaves room for a GRH. */
const GRH_SIZE = 40;

await main({ program: "ud.js", defaults: { size: 1024 }, without: ["num-qp", "mtu"] }, async (context, options) => {
  const { size, rxDepth, ibPort } = options;
  const pd = await context.createProtectionDomain();
  const region = await pd.allocate(GRH_SIZE + size);
  const cq = await openQueue(context, rxDepth + 1, options);
  const pair = await pd.createQueuePair({ type: "ud", sendCq: cq, maxSendWr: 1, maxRecvWr: rxDepth });
  await pair.toInit({ port: ibPort, qkey: QKEY });
  /** @type {Pick<import("@verbena/native").SendMessage, "to">} where every datagram goes */
  let destination = {};
  return {
    cq,
    pairs: [pair],
    addresses: 1,
    postReceives: (count) =>
      pair.postReceive(Array(count).fill({ wrId: RECEIVE, data: { region, length: GRH_SIZE + size } })),
    connect: async (_pair, remote, mine) => {
      await pair.toRtr();
      await pair.toRts({ sqPsn: mine.psn });
      destination = { to: { ah: await pd.createAddressHandle(wayTo(remote, options)), qpn: remote.qpn, qkey: QKEY } };
    },
    send: () => pair.postSend([{ wrId: SEND, data: { region, offset: GRH_SIZE, length: size }, ...destination }]),
  };
});
