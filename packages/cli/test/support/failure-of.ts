import { VerbenaError } from "@verbena/ib";

/** Code and message of the coded error that a call throws. */
export function failureOf(call: () => unknown): Pick<VerbenaError, "code" | "message"> | undefined {
  try {
    call();
    return undefined;
  } catch (error) {
    if (!VerbenaError.is(error)) throw error;
    return { code: error.code, message: error.message };
  }
}
