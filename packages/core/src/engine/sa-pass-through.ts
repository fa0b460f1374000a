import { decodePathRecord, pathRecordMaskOfNonZero, SaAttribute, VerbenaError } from "@verbena/ib";
import { coreError } from "../errors.js";
import type { SaQuery } from "../sdk/services.js";
import type { SaPassThrough } from "./contract.js";
import type { PathEnds } from "./endpoint-choice.js";
import { noData } from "./request-call.js";

/** What a client's record asks, and from which local end. */
export interface PassThroughQuery {
  readonly ends: PathEnds;
  readonly query: SaQuery;
}

/** The client's record as a question to the SA: every non-zero field counts (spec acm.md 5.3). */
export function passThroughQuery(request: SaPassThrough, requestId: string, deadlineMs: number): PassThroughQuery {
  const record = Buffer.from(request.record);
  const ends = decodePathRecord(record);
  return {
    ends,
    query: {
      method: "get",
      attributeId: SaAttribute.PATH_RECORD,
      componentMask: pathRecordMaskOfNonZero(ends),
      record,
      requestId,
      deadlineMs,
      ...(request.signal === undefined ? {} : { signal: request.signal }),
    },
  };
}

/** The engine's code for a failure of the SA client. */
export function passThroughError(error: unknown): unknown {
  if (!VerbenaError.is(error)) return error;
  const context = { details: { destination: "the SA" }, cause: error };
  switch (error.code) {
    case "VERBENA_SA_TIMEOUT":
    case "VERBENA_SA_BUSY":
      return coreError("VERBENA_RESOLVE_TIMEOUT", context);
    case "VERBENA_SA_ABORTED":
      return coreError("VERBENA_RESOLVE_ABORTED", context);
    case "VERBENA_SA_SEND":
    case "VERBENA_SA_STALE":
    case "VERBENA_SA_CLOSED":
      return noData("the path", error);
    default:
      return error;
  }
}
