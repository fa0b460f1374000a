/** What `atoi` makes of a text: leading blanks, a sign, digits; the rest is dropped, no digits give 0. */
export interface AtoiReading {
  readonly value: number;
  /** The whole text is the number. */
  readonly exact: boolean;
  /** There was at least one digit. */
  readonly isNumber: boolean;
}

/** Reads a number as ibacm does. Values outside 32 bits are held at the limit, where C leaves the result open. */
export function atoi(text: string): AtoiReading {
  const match = /^\s*([+-]?\d+)/.exec(text);
  if (match?.[1] === undefined) return { value: 0, exact: false, isNumber: false };
  const value = Math.min(Math.max(Number(match[1]), -2_147_483_648), 2_147_483_647);
  return { value, exact: match[0].length === text.length && value === Number(match[1]), isNumber: true };
}
