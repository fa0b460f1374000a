import { createWriteStream, openSync } from "node:fs";
import { finished } from "node:stream/promises";
import { simError } from "../errors.js";
import type { SimLogger } from "../process/logger.js";
import type { EventLog } from "./event-log.js";

/**
 * Writes the event log to a file, one JSON object a line; what was there before is gone. The first failed write ends it with a
 * warning. Returns a function that ends it and resolves when everything is written.
 *
 * @throws VerbenaError `VERBENA_SIM_EVENT_LOG` if the file cannot be opened
 */
export function logToFile(log: EventLog, file: string, logger: SimLogger): () => Promise<void> {
  const stream = createWriteStream(file, { fd: openForWriting(file) });
  const stop = log.listen((entry) => {
    stream.write(`${JSON.stringify(entry)}\n`);
  });
  stream.once("error", (error) => {
    stop();
    logger.warn({ file, problem: error.message }, "the event log ends here");
  });
  return async () => {
    log.flush();
    stop();
    stream.end();
    await finished(stream).catch(() => undefined);
  };
}

function openForWriting(file: string): number {
  try {
    return openSync(file, "w");
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw simError("VERBENA_SIM_EVENT_LOG", { details: { file, problem }, cause: error });
  }
}
