import { printableLines, VerbenaError } from "@verbena/ib";
import { cliError } from "../errors.js";
import { EXIT, type ExitCode } from "../exit-code.js";
import type { Io } from "../io.js";

/** Which exit status a coded error means: the first pattern that fits. */
const BY_CODE: readonly (readonly [RegExp, ExitCode])[] = [
  [/^VERBENA_CLI_USAGE/, EXIT.USAGE],
  [/^VERBENA_CLI_NO_DAEMON$/, EXIT.NO_DAEMON],
  [/^VERBENA_CONFIG/, EXIT.USAGE],
  [/^VERBENA_FILE_/, EXIT.USAGE],
  [/^VERBENA_PROVIDER_(?!SA_STATUS)/, EXIT.USAGE],
  [/^VERBENA_IB_SYNTAX$/, EXIT.USAGE],
  [/^VERBENA_RDS_(EINVAL|EDESTADDRREQ|EPROTOTYPE)$/, EXIT.USAGE],
  [/^VERBENA_RESOLVE_DESTINATION_SYNTAX$/, EXIT.USAGE],
  [/^VERBENA_SIM_(TOPOLOGY|ADDRESS|OPTION|FILE|DIR|SOCKET_PATH|SM_NODE)/, EXIT.USAGE],
  [/^VERBENA_SIM_CONTROL_CONNECT$/, EXIT.NO_DAEMON],
  [/^VERBENA_CLIENT_CONNECT$/, EXIT.NO_DAEMON],
];

/** Tells what went wrong and returns the exit status that belongs to it. With `json` the report is one JSON object. */
export function reportFailure(error: unknown, io: Io, json = false): ExitCode {
  const coded = VerbenaError.is(error) ? error : internal(error);
  const { code, message, hint } = coded;
  if (coded !== error && error instanceof Error && error.stack !== undefined)
    io.err(printableLines(`${error.stack}\n`));
  if (json) io.out(`${JSON.stringify({ error: { code, message, hint } })}\n`);
  else {
    io.err(printableLines(heading(code, message)));
    if (hint !== undefined) io.err(printableLines(`hint: ${hint}\n`));
  }
  return BY_CODE.find(([pattern]) => pattern.test(code))?.[1] ?? EXIT.FAILED;
}

/** Anything that was thrown as a coded error: one without a code is a fault of this program. */
export function internal(error: unknown): VerbenaError {
  const reason = error instanceof Error ? error.message : String(error);
  return cliError("VERBENA_CLI_INTERNAL", { details: { reason }, cause: error });
}

/** A list (every wrong line of the configuration) keeps its lines whole, so that editors and eyes find `file:line:` in front. */
function heading(code: string, message: string): string {
  const isList = code === "VERBENA_CONFIG_INVALID" || message.includes("\n");
  return isList ? `verbena: [${code}]\n${message}\n` : `verbena: ${message} [${code}]\n`;
}
