import { once } from "node:events";
import { createServer } from "node:net";

/** A TCP port that is free at an address of loopback, in text. */
export async function freePort(address = "127.0.0.3"): Promise<string> {
  const server = createServer().listen(0, address);
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return String(port);
}
