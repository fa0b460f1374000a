import { cliError } from "./errors.js";

/** Reads a whole number of zero or more. Throws `VERBENA_CLI_USAGE_NUMBER` naming the option. */
export function wholeNumber(option: string, text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw cliError("VERBENA_CLI_USAGE_NUMBER", { details: { option, text } });
  return Number(text);
}
