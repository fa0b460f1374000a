import { type OptionNames, unknownOption } from "@verbena/ib";
import { coreError } from "./errors.js";

/** Refuses option names that are not in the table: throws VERBENA_OPTION_UNKNOWN. `of` is the function or class, for the message. */
export function checkOptions<T extends object>(of: string, options: T, known: OptionNames<T>): void {
  const problem = unknownOption(options, known);
  if (problem !== undefined) throw coreError("VERBENA_OPTION_UNKNOWN", { details: { of, problem } });
}
