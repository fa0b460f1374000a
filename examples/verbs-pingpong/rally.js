/** Numbers of the work requests; as bits they say what a queue pair waits for. */
export const RECEIVE = 1;
export const SEND = 2;

/**
 * One end of the game.
 * @typedef {object} End
 * @property {import("@verbena/native").CompletionQueue} cq where everything completes
 * @property {readonly import("@verbena/native").QueuePair[]} pairs
 * @property {number} addresses lines of the rendez-vous: one for each queue pair, and empty ones
 * @property {(count: number) => void} postReceives
 * @property {(pair: import("@verbena/native").QueuePair, remote: import("./address.js").Address, mine: import("./address.js").Address) => Promise<void>} connect
 * @property {(pair: import("@verbena/native").QueuePair) => void} send posts one message
 */

/**
 * Plays until `iterations` messages have gone and as many have come, and resolves with the seconds it took. Each queue pair sends its next
 * message when its last one is gone and an answer is there; the client begins.
 * @param {End} end with `rxDepth` receives posted
 * @param {import("./arguments.js").Options} options
 */
export async function play(end, { host, iterations, rxDepth }) {
  const isFirst = host !== undefined;
  const pairs = new Map(end.pairs.map((pair) => [pair.qpn, { pair, waitsFor: isFirst ? RECEIVE | SEND : RECEIVE }]));
  const begin = performance.now();
  if (isFirst) for (const pair of end.pairs) end.send(pair);

  let [sent, received, posted] = [0, 0, rxDepth];
  for await (const batch of end.cq.completions()) {
    for (let i = 0; i < batch.length; i++) {
      if (batch.statusCode(i) !== 0) throw new Error(`a ${nameOf(batch.wrId(i))} failed: ${batch.at(i).status}`);
      if (batch.wrId(i) === SEND) sent++;
      else {
        received++;
        posted--;
      }
      // As many as there are queue pairs may be taken before the next look.
      if (posted <= end.pairs.length) {
        end.postReceives(rxDepth - posted);
        posted = rxDepth;
      }
      const one = pairs.get(batch.qpn(i));
      if (one === undefined) continue;
      one.waitsFor &= ~batch.wrId(i);
      if (one.waitsFor === 0 && sent < iterations) {
        end.send(one.pair);
        one.waitsFor = RECEIVE | SEND;
      }
    }
    if (sent >= iterations && received >= iterations) break;
  }
  return (performance.now() - begin) / 1000;
}

const nameOf = (/** @type {number} */ wrId) => (wrId === SEND ? "send" : "receive");
