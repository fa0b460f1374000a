import { setImmediate } from "node:timers/promises";

/** Tries an assertion again whenever the event loop has turned, until it holds; a test that never gets there ends by its own time-out. */
export async function eventually(assert: () => unknown): Promise<void> {
  const end = performance.now() + LIMIT_MS;
  for (;;) {
    try {
      await assert();
      return;
    } catch (error) {
      if (performance.now() > end) throw error;
      await setImmediate();
    }
  }
}

/** Shorter than that of the test, so that what did not hold is shown. */
const LIMIT_MS = 30_000;
