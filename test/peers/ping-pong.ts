import { createServer } from "node:net";
import type { PeerFabric } from "./peer-fabric.js";
import type { Run } from "./sim-programs.js";

/**
 * Runs one of rdma-core's ping-pong programs on two nodes: a server, and a client once the server listens. They tell each other their queue
 * pairs over TCP on this machine.
 *
 * @returns what the server and the client did
 */
export async function pingPong(
  fabric: PeerFabric,
  program: string,
  args: readonly string[],
  [server, client]: readonly [string, string],
): Promise<readonly [Run, Run]> {
  const port = String(await freePort());
  const served = fabric.run(server, program, "-p", port, ...args);
  // A client that comes before the server listens says that it could not connect, and ends; another takes its place.
  for (;;) {
    const asked = await fabric.run(client, program, "-p", port, ...args, "127.0.0.1");
    if (!asked.stderr.includes("Couldn't connect")) return [await served, asked];
  }
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}
