/** A server with the handler over the recorded fabric, in a process of its own, so that its memory can be measured. */
import { type FrontEnd, openNative } from "@verbena/native";
import { createAcmHandler } from "../../src/acm/index.js";
import { createFrontServer } from "../../src/front/index.js";
import { type AcmListener, type AcmRequestHandler, type AcmServer, createAcmServer } from "../../src/server/index.js";
import { RecordedFabric } from "./recorded-fabric.js";

/** Puts every RESOLVE that succeeds into the reply table, so that the next one like it is answered from there. */
async function startFront(listeners: readonly AcmListener[], inner: AcmRequestHandler): Promise<AcmServer> {
  const native = openNative();
  let front: FrontEnd | undefined;
  const handler: AcmRequestHandler = {
    handle: (client, request, reply) => {
      inner.handle(client, request, (bytes) => {
        reply(bytes);
        if (bytes[1] === 1 && bytes[2] === 0) front?.put(request, bytes, 3_600_000, 0, new Uint32Array(0));
      });
    },
  };
  return await createFrontServer({
    listeners,
    handler,
    limits: { replyTableBytes: 1_048_576 },
    openFrontEnd: (options) => (front = native.openFrontEnd!(options)),
  });
}

/** `where`: path of a Unix socket, or `fd:N` for a listening socket inherited; `kind`: which server. */
async function main(where: string, kind: string): Promise<void> {
  const handler = createAcmHandler({ engine: new RecordedFabric() });
  const listener: AcmListener = where.startsWith("fd:")
    ? { kind: "fd", fd: Number(where.slice(3)) }
    : { kind: "unix", path: where };
  const server =
    kind === "native"
      ? await startFront([listener], handler)
      : await createAcmServer({ listeners: [listener], handler });
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

void main(process.argv[2] ?? "", process.argv[3] ?? "");
