/**
 * Waits for work that cannot be called back (a file on a mount that does not answer), but not longer than the signal allows: rejects
 * with its reason. What the work gives later goes to `discard`.
 */
export async function unlessAborted<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
  discard: (late: T) => void = () => undefined,
): Promise<T> {
  if (signal === undefined) return await work;
  let leave: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    leave = () => {
      // What the caller aborted with, whatever that is.
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
      reject(signal.reason);
    };
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave, { once: true });
  });
  try {
    return await Promise.race([aborted, work]);
  } catch (error) {
    work.then(discard, () => undefined);
    throw error;
  } finally {
    signal.removeEventListener("abort", leave);
  }
}
