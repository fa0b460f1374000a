import { type OptionNames, unknownOption } from "@verbena/ib";
import { simError } from "./errors.js";

/** Refuses option names that are not in the table: throws VERBENA_SIM_OPTION. `of` is the function, for the message. */
export function checkOptions<T extends object>(of: string, options: T, known: OptionNames<T>): void {
  const problem = unknownOption(options, known);
  if (problem === undefined) return;
  throw simError("VERBENA_SIM_OPTION", { message: `${of}: ${problem}`, details: { of, problem } });
}
