/**
 * How a query's MTU, rate or packet lifetime is meant (IBA 15.2.5.16): 2 bits beside the 6-bit code. In answers always EXACTLY, or
 * GREATER (0) from sources that do not care.
 */
export const Selector = {
  /** Greater than the given code. */
  GREATER: 0,
  /** Less than the given code. */
  LESS: 1,
  /** Exactly the given code. */
  EXACTLY: 2,
  /** Best available: largest MTU or rate, smallest lifetime; the code is ignored. */
  BEST: 3,
} as const;

/** One of the {@link Selector} codes. */
export type Selector = (typeof Selector)[keyof typeof Selector];

/** Packet lifetime code to microseconds: 4.096 µs × 2^code (IBA 15.2.5.16). */
export function packetLifeTimeToMicroseconds(code: number): number {
  return 4.096 * 2 ** code;
}
