import type { NativeOptions } from "./api/services.js";
import { nativeError } from "./errors.js";

const KNOWN = ["libibverbs", "libibumad", "librdmacm", "fabric"] as const;
const KNOWN_FABRIC = ["dir", "node", "library"] as const;

/** Refuses unknown names and wrong types. Throws `VERBENA_NATIVE_OPTION`. */
export function checkOptions(options: NativeOptions): void {
  checkNames(options, KNOWN, "");
  for (const name of ["libibverbs", "libibumad", "librdmacm"] as const) {
    const value: unknown = options[name];
    if (value !== undefined && typeof value !== "string") throw bad(`option ${name} must be a path`);
  }
  if (options.fabric === undefined) return;
  checkNames(options.fabric, KNOWN_FABRIC, "fabric.");
  for (const name of KNOWN_FABRIC) {
    const value: unknown = options.fabric[name];
    if (typeof value !== "string" || value === "") throw bad(`option fabric.${name} must be a non-empty string`);
  }
}

function checkNames(value: object, known: readonly string[], prefix: string): void {
  for (const name of Object.keys(value)) {
    if (known.includes(name)) continue;
    const near = known.find((candidate) => candidate.toLowerCase().includes(name.toLowerCase().slice(0, 5)));
    const suggestion = near === undefined ? `known are ${known.join(", ")}` : `did you mean ${prefix}${near}?`;
    throw bad(`unknown option ${prefix}${name}; ${suggestion}`);
  }
}

function bad(what: string): Error {
  return nativeError("VERBENA_NATIVE_OPTION", { details: { what } });
}
