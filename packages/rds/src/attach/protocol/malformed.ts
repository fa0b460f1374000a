import { rdsError } from "../../errors.js";

/** Makes the error of what the other side of a connection must not send. */
export function malformed(what: string, problem: string): Error {
  return rdsError("VERBENA_RDS_ATTACH_MALFORMED", { details: { what, problem } });
}
