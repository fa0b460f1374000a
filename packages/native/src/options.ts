import { type OptionNames, unknownOption } from "@verbena/ib";
import type { NativeOptions } from "./api/services.js";
import { nativeError } from "./errors.js";

const KNOWN = { libibverbs: true, libibumad: true, librdmacm: true, fabric: true } as const;
const KNOWN_FABRIC = { dir: true, node: true, library: true } as const;

/** Refuses unknown names and wrong types. Throws `VERBENA_NATIVE_OPTION`. */
export function checkOptions(options: NativeOptions): void {
  checkNames(options, KNOWN, "");
  for (const name of ["libibverbs", "libibumad", "librdmacm"] as const) {
    const value: unknown = options[name];
    if (value !== undefined && typeof value !== "string") throw bad(`option ${name} must be a path`);
  }
  if (options.fabric === undefined) return;
  checkNames(options.fabric, KNOWN_FABRIC, "option fabric");
  for (const name of ["dir", "node", "library"] as const) {
    const value: unknown = options.fabric[name];
    if (typeof value !== "string" || value === "") throw bad(`option fabric.${name} must be a non-empty string`);
  }
}

function checkNames<T extends object>(value: T, known: OptionNames<T>, prefix: string): void {
  const problem = unknownOption(value, known);
  if (problem !== undefined) throw bad(prefix === "" ? problem : `${prefix}: ${problem}`);
}

function bad(what: string): Error {
  return nativeError("VERBENA_NATIVE_OPTION", { details: { what } });
}
