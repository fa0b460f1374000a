import type { Clock } from "../sdk/services.js";

/** Waits for a promise, at most `ms`. True if it was fulfilled in time; a rejection passes through. */
export async function within(clock: Clock, ms: number, promise: Promise<unknown>): Promise<boolean> {
  let cancel: () => void = () => undefined;
  const late = new Promise<false>((resolve) => {
    cancel = clock.schedule(ms, () => {
      resolve(false);
    });
  });
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    cancel();
  }
}
