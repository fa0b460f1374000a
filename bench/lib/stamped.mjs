// Datagrams with the time of their post in them, from one thread to queues of others.

/** Both ends agree on it; datagrams with another are dropped. */
export const QKEY = 0x1111_1111;

/** Bytes of a receive: room for a GRH, then the time. */
const SLOT = 48;
const GRH = 40;
const SLOTS = 16;

/** IBV_WC_WR_FLUSH_ERR */
const FLUSHED = 5;

export const nowUs = () => Number(process.hrtime.bigint()) / 1000;

/** A queue pair with receives posted, whose completions come to `cq`. */
export async function openReceiver(pd, cq) {
  const pair = await pd.createQueuePair({ type: "ud", sendCq: cq, maxSendWr: 1, maxRecvWr: SLOTS });
  await pair.toInit({ qkey: QKEY });
  await pair.toRtr();
  await pair.toRts();
  const region = await pd.allocate(SLOTS * SLOT);
  const times = new Float64Array(region.bytes.buffer, region.bytes.byteOffset, (SLOTS * SLOT) / 8);
  const receives = Array.from({ length: SLOTS }, (_, wrId) =>
    pair.prepareReceive([{ wrId, data: { region, offset: wrId * SLOT, length: SLOT } }]),
  );
  for (const receive of receives) receive.post();
  return {
    qpn: pair.qpn,
    /** Gives the receives of a batch back, and the age of each message, microseconds, to `onAge`; the number of messages. */
    take(batch, onAge) {
      const now = nowUs();
      for (let i = 0; i < batch.length; i++) {
        // The queue pair is being closed.
        if (batch.statusCode(i) === FLUSHED) return i;
        if (batch.statusCode(i) !== 0) throw new Error(batch.at(i).status);
        const slot = batch.wrId(i);
        onAge(now - times[(slot * SLOT + GRH) / 8]);
        receives[slot].post();
      }
      return batch.length;
    },
  };
}
