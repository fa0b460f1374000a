import { performance } from "node:perf_hooks";
import type { Clock, Logger, Metrics, Random } from "../sdk/services.js";

/** Longest delay a timer of Node takes; it would run a longer one at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The process's monotonic clock; its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => performance.now(),
  schedule: (delayMs, callback) => {
    let timer: NodeJS.Timeout | undefined;
    const arm = (leftMs: number): void => {
      const rest = leftMs - MAX_TIMER_MS;
      timer = rest > 0 ? setTimeout(() => arm(rest), MAX_TIMER_MS) : setTimeout(callback, leftMs);
      timer.unref();
    };
    arm(delayMs);
    return () => {
      clearTimeout(timer);
    };
  },
};

/** A clock that runs `scale` times faster than another, for a fabric whose time is scaled. */
export function scaledClock(scale: number, clock: Clock = systemClock): Clock {
  if (scale === 1) return clock;
  return {
    now: () => clock.now() * scale,
    schedule: (delayMs, callback) => clock.schedule(delayMs / scale, callback),
  };
}

/** Says nothing. */
export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silentLogger,
};

/** Counts nothing. */
export const noMetrics: Metrics = { increment: () => undefined, observe: () => undefined };

/** The process's own source of chance. */
export const systemRandom: Random = () => Math.random();
