import { cliError } from "./errors.js";

/** Smallest and greatest value an option takes. */
export interface NumberRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Reads a whole number of zero or more, or of a range. Throws `VERBENA_CLI_USAGE_NUMBER` naming the option, outside the range
 * `VERBENA_CLI_USAGE_ARGUMENT`.
 */
export function wholeNumber(option: string, text: string, range?: NumberRange): number {
  if (!/^\d{1,15}$/.test(text)) throw cliError("VERBENA_CLI_USAGE_NUMBER", { details: { option, text } });
  const value = Number(text);
  if (range !== undefined && (value < range.from || value > range.to)) {
    const what = `${option} takes a whole number from ${String(range.from)} to ${String(range.to)}, not ${text}`;
    throw cliError("VERBENA_CLI_USAGE_ARGUMENT", { details: { what } });
  }
  return value;
}
