import { didYouMean } from "./nearest-word.js";

/** The names an options object may have; a table, so that the compiler finds one that is missing or too many. */
export type OptionNames<T> = Readonly<Record<T extends unknown ? keyof T & string : never, true>>;

/**
 * What is wrong with the names in an options object: the first that is not in the table, with the nearest one that is. `undefined` when
 * all are known. A misspelt option is refused, since the default in its place would be a mystery to whoever wrote it.
 */
export function unknownOption<T extends object>(options: T, known: OptionNames<T>): string | undefined {
  const names = Object.keys(known);
  const name = Object.keys(options).find((candidate) => !names.includes(candidate));
  if (name === undefined) return undefined;
  return `unknown option ${name}; ${didYouMean(name, names) ?? `known are ${names.join(", ")}`}`;
}
