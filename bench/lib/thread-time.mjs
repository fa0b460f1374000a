import { readFileSync } from "node:fs";

/** Processor time of the calling thread so far, microseconds (proc(5), schedstat). */
export function threadTimeUs() {
  return Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[0]) / 1000;
}
