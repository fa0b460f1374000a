import { VerbenaError } from "@verbena/ib";
import type { Problem } from "../probe.js";

/** Any error as a problem; an errno as its name where the system's cause has it. */
export function problemOf(error: unknown): Problem {
  const reason = error instanceof Error ? error.message : String(error);
  if (!VerbenaError.is(error)) return { reason };
  const code: unknown = (error.cause as { readonly code?: unknown } | undefined)?.code;
  return {
    reason,
    ...(error.hint === undefined ? {} : { hint: error.hint }),
    ...(typeof code === "string" ? { errno: code } : {}),
  };
}
