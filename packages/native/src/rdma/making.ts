import type { Resource } from "./resource.js";

/**
 * Makes a child of all `owners` by a call that runs on the thread pool. None of them closes meanwhile; if one was asked to, what has been made
 * is destroyed again and the promise rejects with `VERBENA_NATIVE_CLOSED`. `adopt` tells the owners of it, in the turn in which it was made.
 */
export function making<Made extends { close(): Promise<void> }, T>(
  owners: readonly Resource[],
  make: () => Promise<Made>,
  adopt: (made: Made) => T,
): Promise<T> {
  const call = async (): Promise<T> => {
    for (const owner of owners) owner.mustBeOpen();
    const made = await make();
    const closing = owners.find((owner) => owner.isClosing);
    if (closing !== undefined) {
      await made.close();
      closing.mustBeOpen();
    }
    return adopt(made);
  };
  const result = call();
  for (const owner of owners) void owner.hold(result);
  return result;
}
