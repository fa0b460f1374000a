import type { VerbenaError } from "@verbena/ib";
import { coreError } from "../errors.js";

/** How a question to the SA may fail. */
export type SaErrorCode = Extract<Parameters<typeof coreError>[0], `VERBENA_SA_${string}`>;

/** `port`: `mlx5_0/1`. The cause's errno, if it has one, goes into the details. */
export function saError(code: SaErrorCode, port: string, cause?: unknown): VerbenaError {
  const errno = errnoOf(cause);
  return coreError(code, { details: { port, ...(errno === undefined ? {} : { errno }) }, cause, errno });
}

/** The errno of a failed system call, if `cause` tells one. */
export function errnoOf(cause: unknown): number | undefined {
  if (typeof cause !== "object" || cause === null || !("errno" in cause)) return undefined;
  return typeof cause.errno === "number" ? cause.errno : undefined;
}
