import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const OPEN = 64;

/** Resolves every LID of the fabric once, `OPEN` at a time over one connection, so that each costs the SA one query. */
export async function resolveUncached(daemon, hosts) {
  const { AcmClient } = require("@verbena/core/client");
  const client = await AcmClient.connect({ socketPath: daemon.socket, pipelined: true });
  let next = 1;
  let count = 0;
  const begin = performance.now();
  const worker = async () => {
    for (let dlid = next++; dlid <= hosts; dlid = next++) {
      // LIDs of switches lie among those of the hosts; the SA has a path to them as well.
      await client.resolvePath({ dlid });
      count++;
    }
  };
  await Promise.all(Array.from({ length: OPEN }, worker));
  const took = (performance.now() - begin) / 1000;
  await client.close();
  return { count, open: OPEN, perSecond: count / took };
}
