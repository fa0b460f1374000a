const LIMIT = 2n ** 63n - 1n;

/** `atoi` of the C library: leading blanks, a sign, digits; 0 for anything else; out of range as the C library wraps it. */
export function atoi(text: string): number {
  const [, sign = "", digits] = /^[ \t\n\v\f\r]*([+-]?)(\d+)/.exec(text) ?? [];
  if (digits === undefined) return 0;
  const size = BigInt(digits);
  const value = sign === "-" ? -(size > LIMIT + 1n ? LIMIT + 1n : size) : size > LIMIT ? LIMIT : size;
  return Number(BigInt.asIntN(32, value));
}
