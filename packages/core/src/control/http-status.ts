import { VerbenaError } from "@verbena/ib";
import { coreError } from "../errors.js";
import type { ErrorJson } from "./wire.js";

/** HTTP status of each code that is not 500. */
const STATUS: Readonly<Record<string, number>> = {
  VERBENA_CONTROL_BODY: 400,
  VERBENA_CONTROL_BODY_SIZE: 413,
  VERBENA_CONTROL_METHOD: 405,
  VERBENA_CONTROL_NOT_FOUND: 404,
  VERBENA_CONFIG_INVALID: 422,
  VERBENA_DAEMON_STATE: 503,
  VERBENA_RESOLVE_ABORTED: 503,
  VERBENA_RESOLVE_CLOSED: 503,
  VERBENA_RESOLVE_DESTINATION: 400,
  VERBENA_RESOLVE_DESTINATION_SYNTAX: 400,
  VERBENA_RESOLVE_DESTINATION_TYPE: 400,
  VERBENA_RESOLVE_NOT_READY: 503,
  VERBENA_RESOLVE_NO_DATA: 404,
  VERBENA_RESOLVE_NO_ROUTE_TO_SOURCE: 404,
  VERBENA_RESOLVE_NO_SOURCE: 404,
  VERBENA_RESOLVE_SA_STATUS: 502,
  VERBENA_RESOLVE_TIMEOUT: 504,
  VERBENA_SA_BREAKER_OPEN: 503,
};

/** Status and body of an answer that reports a failure. Failures without a code become VERBENA_CONTROL_INTERNAL. */
export function describeFailure(error: unknown): { readonly status: number; readonly body: ErrorJson } {
  if (!VerbenaError.is(error)) {
    const reason = error instanceof Error ? error.message : String(error);
    return describeFailure(coreError("VERBENA_CONTROL_INTERNAL", { details: { reason }, cause: error }));
  }
  const { code, message, hint } = error;
  return {
    status: STATUS[code] ?? 500,
    body: { error: { code, message, ...(hint === undefined ? {} : { hint }) } },
  };
}
