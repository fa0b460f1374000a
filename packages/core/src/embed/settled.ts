import type { ResolverEngine } from "../engine/contract.js";
import type { Clock } from "../sdk/services.js";

/** Waits until no endpoint of the engine is joining any more, at most `limitMs`. */
export async function endpointsSettled(engine: ResolverEngine, clock: Clock, limitMs: number): Promise<void> {
  const isSettled = (): boolean => engine.endpoints().every(({ state }) => state !== "joining");
  if (limitMs === 0 || isSettled()) return;
  const stop = new AbortController();
  const cancel = clock.schedule(limitMs, () => {
    stop.abort();
  });
  try {
    for await (const _ of engine.changes(stop.signal)) if (isSettled()) break;
  } finally {
    cancel();
    stop.abort();
  }
}
