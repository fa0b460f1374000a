import type { Clock } from "../sdk/services.js";
import type { Call } from "./request-call.js";

/** Waits for something on behalf of one request: no longer than its deadline, and not beyond its abort. */
export function waitFor<T>(clock: Clock, promise: Promise<T>, call: Call): Promise<T> {
  if (call.signal?.aborted === true) return Promise.reject(call.aborted(call.signal.reason));
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      end();
      reject(call.aborted(call.signal?.reason));
    };
    const cancel = clock.schedule(call.deadline - clock.now(), () => {
      end();
      reject(call.timeout());
    });
    const end = (): void => {
      cancel();
      call.signal?.removeEventListener("abort", abort);
    };
    call.signal?.addEventListener("abort", abort, { once: true });
    promise.then(
      (value) => {
        end();
        resolve(value);
      },
      (error: unknown) => {
        end();
        reject(error instanceof Error ? error : new Error(String(error)));
      },
    );
  });
}

/** Waits until `promise` has settled, whatever its outcome, but no longer than `ms`. */
export function settledWithin(clock: Clock, promise: Promise<unknown>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.schedule(ms, resolve);
    const done = (): void => {
      cancel();
      resolve();
    };
    promise.then(done, done);
  });
}
