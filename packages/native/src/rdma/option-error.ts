import type { VerbenaError } from "@verbena/ib";
import { nativeError } from "../errors.js";

/** An argument that cannot be used: `VERBENA_NATIVE_OPTION`. */
export function optionError(what: string): VerbenaError {
  return nativeError("VERBENA_NATIVE_OPTION", {
    details: { what },
    hint: "See the documentation of the method that was called.",
  });
}

/** Throws unless `value` is an integer of `min` … `max`. */
export function needInteger(what: string, value: number, min: number, max: number): void {
  if (!Number.isInteger(value) || value < min || value > max) {
    throw optionError(`${what} must be an integer of ${min} to ${max}, not ${value}`);
  }
}
