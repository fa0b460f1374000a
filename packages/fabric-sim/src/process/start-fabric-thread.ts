import { once } from "node:events";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { VerbenaError } from "@verbena/ib";
import { checkOptions } from "../check-options.js";
import { simError } from "../errors.js";
import { loadTopology } from "./load-topology.js";
import { SILENT_LOGGER } from "./logger.js";
import { FABRIC_OPTIONS, type FabricOptions, type RunningFabric } from "./start-fabric.js";
import type { FromThread, ThreadData, ToThread } from "./thread-messages.js";

/**
 * Starts a fabric in a thread of its own, so that code here may call it synchronously (anything over `libfabricsim.so`). The
 * thread never loads the addon. Options, errors and result are those of `startFabric`; the logger is called in this thread.
 */
export async function startFabricThread(options: FabricOptions): Promise<RunningFabric> {
  checkOptions("startFabricThread", options, FABRIC_OPTIONS);
  const { logger = SILENT_LOGGER, ...rest } = options;
  const topology = loadTopology(options.topology);
  const data: ThreadData = { options: { ...rest, topology } };
  const worker = new Worker(entry.file, { workerData: data, execArgv: entry.execArgv, env: process.env });
  const exited = once(worker, "exit");
  const started = new Promise<string>((settle, reject) => {
    worker.on("message", (message: FromThread) => {
      if (message.type === "ready") settle(message.dir);
      else if (message.type === "log") logger[message.level](message.facts, message.message);
      else reject(failure(message));
    });
    worker.once("error", (error) => {
      reject(simError("VERBENA_SIM_START", { details: { problem: error.message }, cause: error }));
    });
    worker.once("exit", (code) => {
      reject(simError("VERBENA_SIM_START", { details: { problem: `its thread ended with code ${code}` } }));
    });
  });
  const dir = await started;
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= (async () => {
      const message: ToThread = { type: "close" };
      worker.postMessage(message);
      await exited;
    })();
    return closing;
  };
  return { dir, topology, close, [Symbol.asyncDispose]: close };
}

function failure({ code, message, hint }: Extract<FromThread, { type: "failed" }>): Error {
  if (code !== undefined) return new VerbenaError(code, message, { hint });
  return simError("VERBENA_SIM_START", { details: { problem: message } });
}

/** A worker does not inherit what makes TypeScript run in tests, so from source it brings its own loader. */
const entry = __filename.endsWith(".ts")
  ? {
      file: join(__dirname, "thread-entry.ts"),
      execArgv: ["--conditions=@verbena/source", "--require", join(__dirname, "..", "..", "test", "source-hook.cjs")],
    }
  : { file: join(__dirname, "thread-entry.js"), execArgv: [] };
