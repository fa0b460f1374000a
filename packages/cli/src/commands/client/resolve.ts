import { type PathJson, parseDestination } from "@verbena/core/client";
import { EXIT, type ExitCode } from "../../exit-code.js";
import type { Io } from "../../io.js";
import { wholeNumber } from "../../numbers.js";
import { askAcm, askControl, type Question, type Resolved } from "./question.js";
import { type ServiceOptions, withService } from "./service.js";

export interface ResolveCommandOptions extends ServiceOptions {
  readonly source?: string;
  readonly delay: boolean;
  readonly timeout?: string;
  readonly paths?: string;
}

/** What the daemon takes. */
const TIMEOUT_MS = { from: 1, to: 600_000 } as const;
const PATHS = { from: 1, to: 127 } as const;

/** Resolves one destination and prints its paths. */
export async function resolveCommand(destination: string, options: ResolveCommandOptions, io: Io): Promise<ExitCode> {
  const question = readQuestion(destination, options);
  const resolved = await withService(options, ({ kind, client }) =>
    kind === "control" ? askControl(client, question) : askAcm(client, question),
  );
  io.out(options.json === true ? `${JSON.stringify(resolved)}\n` : await describe(destination, resolved));
  return EXIT.OK;
}

function readQuestion(destination: string, { source, delay, timeout, paths }: ResolveCommandOptions): Question {
  return {
    destination: parseDestination(destination),
    ...(source === undefined ? {} : { source: parseDestination(source) }),
    noDelay: !delay,
    ...(timeout === undefined ? {} : { deadlineMs: wholeNumber("--timeout", timeout, TIMEOUT_MS) }),
    ...(paths === undefined ? {} : { maxPaths: wholeNumber("--paths", paths, PATHS) }),
  };
}

async function describe(destination: string, { paths, chosenSource, origin }: Resolved): Promise<string> {
  const notes = [
    ...(chosenSource === undefined ? [] : [`source ${chosenSource}`]),
    ...(origin === undefined ? [] : [origin]),
  ];
  return `${destination}${notes.length === 0 ? "" : `  (${notes.join("; ")})`}\n${await pathTable(paths)}`;
}

/** The columns that tell one path from another. */
export async function pathTable(paths: readonly PathJson[]): Promise<string> {
  const { renderTable } = await import("../../output/table.js");
  return renderTable(
    ["DGID", "DLID", "SGID", "SLID", "P_Key", "SL", "MTU", "rate", "reversible"],
    paths.map((path) => [
      path.dgid,
      String(path.dlid),
      path.sgid,
      String(path.slid),
      path.pkey,
      String(path.sl),
      path.mtuBytes === undefined ? `code ${String(path.mtu)}` : String(path.mtuBytes),
      path.rateGbps === undefined ? `code ${String(path.rate)}` : `${String(path.rateGbps)} Gb/s`,
      path.reversible ? "yes" : "no",
    ]),
  );
}
