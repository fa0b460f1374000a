import { cliError } from "../../errors.js";

const FACTORS: Readonly<Record<string, number>> = { "": 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30 };
const INTERVAL_MS: Readonly<Record<string, number>> = { s: 1000, ms: 1, msec: 1, us: 1e-3, usec: 1e-3 };

/** A whole number as the tools of RDS take it: decimal or 0x, times 2^10, 2^20 or 2^30 with `k`, `m` or `g` behind it. */
export function countValue(option: string, text: string): number {
  const match = /^(0x[\da-f]{1,12}|\d{1,12})([kmg]?)$/i.exec(text);
  if (match === null) throw cliError("VERBENA_CLI_USAGE_NUMBER", { details: { option, text } });
  return Number(match[1]) * (FACTORS[(match[2] ?? "").toLowerCase()] ?? 1);
}

/** A time as the tools of RDS take it: seconds, or with `ms`, `msec`, `us` or `usec` behind the number. Milliseconds. */
export function intervalMs(text: string): number {
  const match = /^(\d+(?:\.\d+)?|\.\d+)(s|ms|msec|us|usec)?$/.exec(text);
  if (match === null) throw cliError("VERBENA_CLI_USAGE_DURATION", { details: { text } });
  return Number(match[1]) * (INTERVAL_MS[match[2] ?? "s"] ?? 1000);
}
