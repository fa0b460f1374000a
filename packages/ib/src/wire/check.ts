import { ibError } from "../errors.js";

/** Throws `VERBENA_IB_MALFORMED` unless `buf` holds `size` bytes from `offset` on. `what` names the structure in the message. */
export function needBytes(what: string, buf: Uint8Array, offset: number, size: number): void {
  if (offset >>> 0 !== offset || offset + size > buf.length) {
    throw malformed(what, `${size} bytes at offset ${offset}`, `${buf.length} bytes`);
  }
}

/** Makes (does not throw) a `VERBENA_IB_MALFORMED` error. */
export function malformed(what: string, expected: string | number, actual: string | number): Error {
  return ibError("VERBENA_IB_MALFORMED", { details: { what, expected, actual } });
}

/** Makes (does not throw) a `VERBENA_IB_VALUE` error. */
export function badValue(field: string, value: unknown, allowed: string): Error {
  return ibError("VERBENA_IB_VALUE", { details: { field, value, allowed } });
}

/** Makes (does not throw) a `VERBENA_IB_SYNTAX` error. Long text is cut, so that a log line stays a line. */
export function badSyntax(what: string, text: unknown, expected: string): Error {
  const shown = JSON.stringify(String(text).slice(0, 80));
  return ibError("VERBENA_IB_SYNTAX", { details: { what, text: shown, expected } });
}

/** Returns `value` if it is an integer in 0…max, else throws `VERBENA_IB_VALUE`. */
export function checkUint(value: number, max: number, field: string): number {
  if (Number.isInteger(value) && value >= 0 && value <= max) return value;
  throw badValue(field, value, `0…${max}`);
}

const U64_MAX = 0xffff_ffff_ffff_ffffn;

/** Returns `value` if it is a bigint of 0…2^64−1, else throws `VERBENA_IB_VALUE`. */
export function checkU64(value: bigint, field: string): bigint {
  if (typeof value === "bigint" && value >= 0n && value <= U64_MAX) return value;
  throw badValue(field, value, "0…2^64-1 as a bigint");
}

/** Returns the bytes if there are at most `max` of them, else throws `VERBENA_IB_VALUE`. */
export function checkLength(bytes: Uint8Array, max: number, field: string): Uint8Array {
  if (bytes.length <= max) return bytes;
  throw badValue(field, `${bytes.length} bytes`, `at most ${max} bytes`);
}
