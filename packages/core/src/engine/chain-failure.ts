import { VerbenaError } from "@verbena/ib";
import type { NegativeReason } from "../cache/cache-entry.js";

/** How one provider of a chain ended without an answer. `fault`: it broke its contract. */
export type ChainFailure =
  | { readonly provider: string; readonly kind: "unknown" | "timeout" }
  | { readonly provider: string; readonly kind: "error"; readonly error: unknown }
  | { readonly provider: string; readonly kind: "fault"; readonly what: string; readonly error?: unknown };

const TIMEOUT_CODES: ReadonlySet<string> = new Set([
  "VERBENA_SA_TIMEOUT",
  "VERBENA_SA_BUSY",
  "VERBENA_RESOLVE_TIMEOUT",
]);

/** Sorts a provider's rejection. What is not a coded error is a fault of the provider. */
export function failureOf(provider: string, error: unknown): ChainFailure {
  if (!VerbenaError.is(error)) return { provider, kind: "fault", what: `rejected with ${String(error)}`, error };
  if (TIMEOUT_CODES.has(error.code) || error.details["timedOut"] === true) return { provider, kind: "timeout" };
  return { provider, kind: "error", error };
}

/** What a failed chain means for the client: a status of the SA says most, then a time-out, else nobody knew. */
export function verdictOf(failures: readonly ChainFailure[]): NegativeReason {
  for (const failure of failures) {
    const saStatus = failure.kind === "error" ? saStatusOf(failure.error) : undefined;
    if (saStatus !== undefined) return { kind: "sa-status", saStatus };
  }
  return failures.some((failure) => failure.kind === "timeout") ? { kind: "timeout" } : { kind: "no-data" };
}

/** The port or the SM changed while the question was open; asked again, it may well have an answer. */
export function isStale(failures: readonly ChainFailure[]): boolean {
  return failures.some((failure) => failure.kind === "error" && VerbenaError.is(failure.error, "VERBENA_SA_STALE"));
}

function saStatusOf(error: unknown): number | undefined {
  const saStatus = VerbenaError.is(error) ? error.details["saStatus"] : undefined;
  return typeof saStatus === "number" && saStatus !== 0 ? saStatus : undefined;
}

/** The SA is being left alone: the failure of the provider that wanted to ask it. */
export function breakerErrorOf(failures: readonly ChainFailure[]): VerbenaError | undefined {
  for (const failure of failures) {
    if (failure.kind === "error" && VerbenaError.is(failure.error, "VERBENA_SA_BREAKER_OPEN")) return failure.error;
  }
  return undefined;
}

/** What an explanation says about a failure beside its kind. */
export function detailOf(failure: ChainFailure): string | undefined {
  if (failure.kind === "fault") return failure.what;
  return failure.kind === "error" && VerbenaError.is(failure.error) ? failure.error.code : undefined;
}
