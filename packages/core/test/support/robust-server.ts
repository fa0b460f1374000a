/** A server with the handler over the recorded fabric, in a process of its own, so that its memory can be measured. */
import { createAcmHandler } from "../../src/acm/index.js";
import { createAcmServer } from "../../src/server/index.js";
import { RecordedFabric } from "./recorded-fabric.js";

async function main(path: string): Promise<void> {
  const handler = createAcmHandler({ engine: new RecordedFabric() });
  const server = await createAcmServer({ listeners: [{ kind: "unix", path }], handler });
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
