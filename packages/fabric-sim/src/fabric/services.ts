/** A monotonic clock that can call back. Times are milliseconds. */
export interface SimClock {
  now(): number;
  /** Calls `callback` once after `delayMs`; returns a function that cancels it. */
  schedule(delayMs: number, callback: () => void): () => void;
}

/** What the fabric takes from its surroundings; tests bring their own. */
export interface FabricServices {
  readonly clock: SimClock;
  /** Numbers from 0 (inclusive) to 1, for faults. */
  readonly random: () => number;
  /** Runs `work` soon, never before the caller returns. */
  readonly defer: (work: () => void) => void;
}

/**
 * Services of a fabric that runs by itself; equal seeds give equal random numbers. Its clock is CLOCK_MONOTONIC, which is the same
 * in every process of the machine, and runs `timeScale` times faster.
 */
export function systemServices(seed: number, timeScale = 1): FabricServices {
  return {
    clock: {
      now: () => (Number(process.hrtime.bigint()) / 1e6) * timeScale,
      schedule: (delayMs, callback) => {
        const timer = setTimeout(callback, delayMs / timeScale);
        return () => {
          clearTimeout(timer);
        };
      },
    },
    random: seededRandom(seed),
    defer: (work) => {
      setImmediate(work);
    },
  };
}

/** Mulberry32: small, fast and the same on every machine. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}
