import { readdirSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** What a process holds. */
export interface Holdings {
  readonly heapBytes: number;
  readonly descriptors: number;
  /** Timers are left out: they come and go with every request. */
  readonly resources: number;
}

/** Counted after a collection of garbage. */
export function holdings(): Holdings {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  for (let round = 0; round < 3; round++) collect();
  return {
    heapBytes: process.memoryUsage().heapUsed,
    descriptors: readdirSync("/proc/self/fd").length,
    resources: process.getActiveResourcesInfo().filter((kind) => kind !== "Timeout" && kind !== "Immediate").length,
  };
}

/** Growth that is none of a daemon's. */
export interface Allowance {
  readonly heapBytes: number;
  /** The simulator's library keeps a descriptor of its own for the life of the process; each copy of it counts. */
  readonly libraries: number;
}

/** What has grown, as sentences. */
export function leaks(before: Holdings, after: Holdings, { heapBytes, libraries }: Allowance): string[] {
  const grown: string[] = [];
  const heap = after.heapBytes - before.heapBytes;
  if (heap > heapBytes) grown.push(`the heap has grown by ${(heap / 2 ** 20).toFixed(1)} MiB`);
  const descriptors = after.descriptors - before.descriptors - libraries;
  if (descriptors > 0) grown.push(`${descriptors} descriptors are left open`);
  if (after.resources > before.resources) grown.push(`${after.resources - before.resources} handles are left open`);
  return grown;
}
