/** A server with the handler over the recorded fabric, in a process of its own, so that its memory can be measured. */
import { createAcmHandler } from "../../src/acm/index.js";
import { type AcmListener, createAcmServer } from "../../src/server/index.js";
import { RecordedFabric } from "./recorded-fabric.js";

/** `where`: path of a Unix socket, or `fd:N` for a listening socket inherited. */
async function main(where: string): Promise<void> {
  const handler = createAcmHandler({ engine: new RecordedFabric() });
  const listener: AcmListener = where.startsWith("fd:")
    ? { kind: "fd", fd: Number(where.slice(3)) }
    : { kind: "unix", path: where };
  const server = await createAcmServer({ listeners: [listener], handler });
  process.on("message", (question) => {
    if (question === "rss") {
      globalThis.gc?.();
      process.send?.({ rss: process.memoryUsage.rss(), clients: server.clientCount });
    }
  });
  process.on("disconnect", () => {
    server.destroy();
  });
  process.send?.("ready");
}

void main(process.argv[2] ?? "");
