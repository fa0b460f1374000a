import { VerbenaError } from "@verbena/ib";
import { parseDurationMs } from "../../duration.js";
import { endOfWatch } from "../../end-of-watch.js";
import { cliError } from "../../errors.js";
import { EXIT, type ExitCode } from "../../exit-code.js";
import type { Io } from "../../io.js";
import { wholeNumber } from "../../numbers.js";
import { notOffered, type ServiceOptions, withService } from "../client/service.js";
import { describeReport } from "./watch-lines.js";

export interface WatchOptions extends ServiceOptions {
  readonly endpoint?: string;
  readonly type?: readonly string[];
  readonly count?: string;
  readonly for?: string;
}

/** Prints what the protocol does until the count is reached, the time is over, a signal comes or the daemon ends. */
export async function watchMulticast(options: WatchOptions, io: Io): Promise<ExitCode> {
  const count = options.count === undefined ? Number.POSITIVE_INFINITY : wholeNumber("--count", options.count);
  const forMs = options.for === undefined ? undefined : parseDurationMs(options.for);
  const { endpoint, type, json = false } = options;
  using ending = endOfWatch();
  await withService(options, async ({ kind, client }) => {
    if (kind === "acm") throw notOffered("a view of the multicast protocol");
    const { endpoints } = await client.endpoints();
    if (endpoint !== undefined && !endpoints.some(({ key }) => key === endpoint)) {
      const known = endpoints.map(({ key }) => key).join(", ") || "none";
      throw cliError("VERBENA_CLI_USAGE_ARGUMENT", {
        details: { what: `no endpoint ${endpoint}; there are: ${known}` },
      });
    }
    let printed = 0;
    const { signal } = ending;
    try {
      for await (const report of client.watchProviders({ signal, ...(endpoint === undefined ? {} : { endpoint }) })) {
        if (report.type === "watching") {
          io.err("watching\n");
          if (forMs !== undefined) ending.after(forMs);
          if (count === 0) break;
          continue;
        }
        if (report.type === "event" && type?.includes(report.event.type) === false) continue;
        io.out(json ? `${JSON.stringify(report)}\n` : describeReport(report));
        printed += 1;
        if (printed >= count) break;
      }
    } catch (error) {
      if (!(signal.aborted && VerbenaError.is(error, "VERBENA_CLIENT_ABORTED"))) throw error;
    }
  });
  return EXIT.OK;
}
