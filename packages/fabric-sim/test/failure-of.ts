import { VerbenaError } from "@verbena/ib";

/** The coded error that `action` throws. */
export function failureOf(action: () => unknown): VerbenaError {
  try {
    action();
  } catch (error) {
    if (VerbenaError.is(error)) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

/** The coded error that a promise rejects with. */
export async function rejectionOf(promise: Promise<unknown>): Promise<VerbenaError> {
  try {
    await promise;
  } catch (error) {
    if (VerbenaError.is(error)) return error;
    throw error;
  }
  throw new Error("nothing was rejected");
}
