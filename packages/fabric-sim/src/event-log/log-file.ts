import { createWriteStream, openSync } from "node:fs";
import { finished } from "node:stream/promises";
import { simError } from "../errors.js";
import type { SimLogger } from "../process/logger.js";
import type { EventLog } from "./event-log.js";

/** Bytes that may wait for a slow disk. */
const BACKLOG_BYTES = 64 * 1024 * 1024;

/**
 * Writes the event log to a file, one JSON object a line; what was there before is gone. The first failed write ends it with a
 * warning. Entries that a slow disk leaves no room for are lost: a line `{"type":"lost","count":N}` stands in their place. Returns a function that ends it and resolves when everything is written.
 *
 * @throws VerbenaError `VERBENA_SIM_EVENT_LOG` if the file cannot be opened
 */
export function logToFile(
  log: Pick<EventLog, "listen" | "flush">,
  file: string,
  logger: SimLogger,
  backlogBytes = BACKLOG_BYTES,
): () => Promise<void> {
  const stream = createWriteStream(file, { fd: openForWriting(file) });
  let lost = 0;
  const tellOfLost = (): void => {
    if (lost === 0) return;
    stream.write(`${JSON.stringify({ type: "lost", count: lost })}\n`);
    logger.warn({ file, lost }, "the disk was too slow for the event log");
    lost = 0;
  };
  const stop = log.listen((entry) => {
    if (stream.writableLength > backlogBytes) {
      lost += 1;
      return;
    }
    tellOfLost();
    stream.write(`${JSON.stringify(entry)}\n`);
  });
  stream.once("error", (error) => {
    stop();
    logger.warn({ file, problem: error.message }, "the event log ends here");
  });
  return async () => {
    log.flush();
    stop();
    if (!stream.destroyed) tellOfLost();
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
