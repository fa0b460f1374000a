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
    const near = [...known].sort((a, b) => distance(name, a) - distance(name, b))[0];
    const isNear = near !== undefined && distance(name, near) <= 3;
    const suggestion = isNear ? `did you mean ${prefix}${near}?` : `known are ${known.join(", ")}`;
    throw bad(`unknown option ${prefix}${name}; ${suggestion}`);
  }
}

/** Letters to insert, delete or replace to make one word of the other. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

function bad(what: string): Error {
  return nativeError("VERBENA_NATIVE_OPTION", { details: { what } });
}
