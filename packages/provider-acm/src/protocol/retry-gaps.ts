import type { Port, Random } from "@verbena/core/sdk";

/** Gap behind the first try, milliseconds. */
export const FIRST_GAP_MS = 60;
/** Each gap is so much longer than the one before… */
const GROWTH = 1.2;
/** … give or take this share, so that hosts that lost a packet together do not try again together. */
const JITTER = 0.2;

/** How long to wait for an answer to try number `tried` (0 = the first) before the next one, milliseconds. */
export function retryGapMs(tried: number, random: Random): number {
  return FIRST_GAP_MS * GROWTH ** tried * (1 + JITTER * (2 * random() - 1));
}

/** Subnet time-out in whole milliseconds, as ibacm takes it: 2^(v-8), 0 below 8. */
export function subnetTimeoutMs(code: number): number {
  return code < 8 ? 0 : 2 ** (code - 8);
}

/**
 * How long an address is asked for at most, milliseconds: what ibacm takes for its (`retries` + 1) tries; with the defaults 9 s, in which there is time
 * for 18 or 19 tries.
 */
export function askingTimeMs(
  { retries, timeoutMs }: { readonly retries: number; readonly timeoutMs: number },
  { subnetTimeout }: Pick<Port, "subnetTimeout">,
): number {
  return (retries + 1) * (subnetTimeoutMs(subnetTimeout) + timeoutMs);
}
