import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type ConvertSources, convertConfig, DEFAULT_PATHS, readConfigText } from "@verbena/core";
import { VerbenaError } from "@verbena/ib";
import { cliError } from "../../errors.js";
import { EXIT, type ExitCode } from "../../exit-code.js";
import type { Io } from "../../io.js";
import { diagnosticLine } from "./check.js";

export interface ConvertOptions {
  readonly opts?: string;
  readonly addr?: string;
  readonly out?: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

/** Makes a `verbena.yaml` of ibacm's files. Rejects with VERBENA_FILE_…, VERBENA_CLI_FILE and VERBENA_CONFIG_INVALID; nothing is written then. */
export async function convertFiles(options: ConvertOptions, io: Io): Promise<ExitCode> {
  const [opts, addr] = await Promise.all([
    source(options.opts, DEFAULT_PATHS.optionsFile),
    source(options.addr, DEFAULT_PATHS.addressFile),
  ]);
  const { yaml, diagnostics } = await convertConfig({ options: opts, addresses: addr });
  if (options.out !== undefined) await write(options.out, yaml, options.force === true);
  if (options.json === true) {
    io.out(`${JSON.stringify({ ...(options.out === undefined ? { yaml } : { out: options.out }), diagnostics })}\n`);
    return EXIT.OK;
  }
  for (const diagnostic of diagnostics) io.err(`${diagnosticLine(diagnostic)}\n`);
  if (options.out === undefined) io.out(yaml);
  else io.out(`written ${options.out}; check it with \`verbena config check --config ${options.out}\`\n`);
  return EXIT.OK;
}

/** A file that was named must be there; one of the usual ones need not. */
async function source(named: string | undefined, usual: string): Promise<NonNullable<ConvertSources["options"]>> {
  const file = named === undefined ? usual : resolve(named);
  try {
    return { file, text: await readConfigText(file) };
  } catch (cause) {
    if (VerbenaError.is(cause)) throw cause;
    const { code, message } = cause as NodeJS.ErrnoException;
    if (named === undefined && code === "ENOENT") return { file };
    throw cliError("VERBENA_CLI_FILE", { details: { file, problem: message }, cause });
  }
}

async function write(file: string, text: string, force: boolean): Promise<void> {
  try {
    await writeFile(file, text, { flag: force ? "w" : "wx" });
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const problem = code === "EEXIST" ? "it is there already (--force replaces it)" : message;
    throw cliError("VERBENA_CLI_FILE", { details: { file, problem }, cause });
  }
}
