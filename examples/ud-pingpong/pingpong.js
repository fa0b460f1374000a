/** Both ends agree on it; datagrams with another are dropped. */
const QKEY = 0x1111_1111;

/** In front of each datagram the device leaves room for a GRH. */
const GRH_SIZE = 40;

/** @typedef {Awaited<ReturnType<typeof openEnd>>} End */

/**
 * One end: a queue pair with receives posted and an event for each completion.
 * @param {import("@verbena/native").Context} context
 * @param {import("@verbena/native").ProtectionDomain} pd
 * @param {number} size bytes of a datagram
 */
async function openEnd(context, pd, size) {
  const channel = await context.createCompletionChannel();
  const cq = await context.createCompletionQueue({ depth: 64, channel });
  const pair = await pd.createQueuePair({ type: "ud", sendCq: cq, maxSendWr: 16, maxRecvWr: 16 });
  await pair.toInit({ port: 1, qkey: QKEY });
  const region = await pd.allocate(16 * (size + GRH_SIZE));
  const messages = pair.messages({ size, count: 16, region });
  await pair.toRtr();
  await pair.toRts();
  const data = (await pd.allocate(size)).slice();
  return { pair, messages, data };
}

/**
 * Sends a datagram to and fro `iterations` times, and checks what comes. Resolves with the bytes that were moved and the time it took. The
 * caller closes the context.
 * @param {import("@verbena/native").Context} context
 * @param {number} iterations
 * @param {number} size bytes of a datagram
 */
export async function pingPong(context, iterations, size) {
  const pd = await context.createProtectionDomain();
  const ping = await openEnd(context, pd, size);
  const pong = await openEnd(context, pd, size);
  // Both ends are on one port: the way to the other is the way to oneself.
  const ah = await pd.createAddressHandle({ port: 1, dlid: context.queryPort(1).lid });
  /** @type {(from: End, to: End) => Promise<unknown>} */
  const send = (from, to) => from.pair.send({ data: from.data, to: { ah, qpn: to.pair.qpn, qkey: QKEY } });

  const echo = (async () => {
    for (let i = 0; i < iterations; i++) {
      const { value } = await pong.messages.next();
      pong.data.bytes.set(value.bytes);
      await send(pong, ping);
    }
  })();
  const begin = performance.now();
  for (let i = 0; i < iterations; i++) {
    ping.data.bytes.fill(i & 0xff);
    await send(ping, pong);
    const { value } = await ping.messages.next();
    if (value.bytes.length !== size || value.bytes[size - 1] !== (i & 0xff)) throw new Error(`wrong answer ${i}`);
  }
  const seconds = (performance.now() - begin) / 1000;
  await echo;
  return { bytes: 2 * iterations * size, seconds };
}
