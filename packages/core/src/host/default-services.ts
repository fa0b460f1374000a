import { performance } from "node:perf_hooks";
import type { Clock, Logger, Metrics, Random } from "../sdk/services.js";

/** The process's monotonic clock; its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => performance.now(),
  schedule: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs);
    timer.unref();
    return () => {
      clearTimeout(timer);
    };
  },
};

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
