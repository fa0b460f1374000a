import { cliError } from "./errors.js";

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Reads `250ms`, `5s`, `2m`, `1h`, or a bare number of seconds. Throws `VERBENA_CLI_USAGE_DURATION`. */
export function parseDurationMs(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text);
  if (match === null) throw cliError("VERBENA_CLI_USAGE_DURATION", { details: { text } });
  return Number(match[1]) * (UNIT_MS[match[2] ?? "s"] ?? 1000);
}
