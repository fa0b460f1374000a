import { randomInt } from "node:crypto";
import { Gid, Mtu } from "@verbena/ib";
import { openNative } from "@verbena/native";
import { TransferError } from "./errors.js";

/**
 * One end of the connection, not connected yet.
 * @typedef {object} End
 * @property {import("@verbena/native").ProtectionDomain} pd
 * @property {import("@verbena/native").QueuePair} pair
 * @property {import("./introduction.js").Address} address
 * @property {(peer: import("./introduction.js").Address) => Promise<void>} connect
 * @property {() => Promise<void>} close the device and everything that was made of it
 */

/**
 * Opens the device and makes a queue pair. Its sends and its receives complete in one queue, which raises events.
 * @param {import("./arguments.js").Options} options
 * @param {{ sends: number, receives: number }} room requests that may be under way
 * @returns {Promise<End>}
 */
export async function openEnd({ device, ibPort, gidIndex }, { sends, receives }) {
  const native = openNative();
  try {
    const name = device ?? native.verbs.devices()[0]?.name;
    if (name === undefined) throw new TransferError("TRANSFER_USAGE", "there is no RDMA device on this host");
    const context = native.verbs.open(name);
    const pd = await context.createProtectionDomain();
    const channel = await context.createCompletionChannel();
    const sendCq = await context.createCompletionQueue({ depth: sends + receives, channel });
    const pair = await pd.createQueuePair({ type: "rc", sendCq, maxSendWr: sends, maxRecvWr: receives });
    await pair.toInit({ port: ibPort, access: ["remote-write"] });

    const { lid, activeMtu } = context.queryPort(ibPort);
    const mtu = Mtu.toBytes(activeMtu) ?? 1024;
    const gid = gidIndex === undefined ? Gid.zero : context.queryGid(ibPort, gidIndex);
    const address = { lid, qpn: pair.qpn, psn: randomInt(2 ** 24), mtu, gid };
    return {
      ...{ pd, pair, address },
      connect: async (peer) => {
        const pathMtu = Mtu.fromBytes(Math.min(mtu, peer.mtu)) ?? Mtu.MTU_1024;
        const grh = { dgid: peer.gid, sgidIndex: gidIndex ?? 0, hopLimit: 64 };
        const way = { port: ibPort, dlid: peer.lid, ...(peer.gid === Gid.zero ? {} : { grh }) };
        await pair.toRtr({ destQpn: peer.qpn, rqPsn: peer.psn, pathMtu, address: way });
        await pair.toRts({ sqPsn: address.psn });
      },
      close: () => native.close(),
    };
  } catch (error) {
    await native.close();
    throw error;
  }
}
