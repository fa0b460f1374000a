import { parentPort, workerData } from "node:worker_threads";
import { VerbenaError } from "@verbena/ib";
import { startFabric } from "./start-fabric.js";
import type { FromThread, ThreadData, ToThread } from "./thread-messages.js";

/** What runs in the thread of `startFabricThread`. */
async function main(): Promise<void> {
  const port = parentPort;
  if (port === null) return;
  const send = (message: FromThread) => {
    port.postMessage(message);
  };
  const { options } = workerData as ThreadData;
  const log = (level: "info" | "warn") => (facts: object, message: string) => {
    send({ type: "log", level, facts, message });
  };
  try {
    const fabric = await startFabric({ ...options, logger: { info: log("info"), warn: log("warn") } });
    port.on("message", (_close: ToThread) => {
      void fabric.close().finally(() => {
        port.close();
      });
    });
    send({ type: "ready", dir: fabric.dir });
  } catch (error) {
    const coded = VerbenaError.is(error)
      ? { code: error.code, hint: error.hint }
      : { code: undefined, hint: undefined };
    send({ type: "failed", ...coded, message: error instanceof Error ? error.message : String(error) });
    port.close();
  }
}

void main();
