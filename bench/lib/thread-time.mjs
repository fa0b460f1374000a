import { readdirSync, readFileSync } from "node:fs";

/** What proc(5) calls schedstat: processor time so far, milliseconds. */
const timeMs = (folder) => Number(readFileSync(`${folder}/schedstat`, "utf8").split(" ")[0]) / 1e6;

/** Processor time of the calling thread so far, microseconds. */
export function threadTimeUs() {
  return timeMs("/proc/thread-self") * 1000;
}

/** Processor time of a process's living threads so far, milliseconds. */
export function processTimeMs(pid) {
  const tasks = `/proc/${pid}/task`;
  return readdirSync(tasks).reduce((sum, thread) => sum + timeMs(`${tasks}/${thread}`), 0);
}

/** Processor time of all children that have ended so far, milliseconds, in steps of 10 (proc(5), cutime and cstime). */
export function endedChildrenTimeMs() {
  const [, fields] = readFileSync("/proc/self/stat", "utf8").split(") ");
  const [user, system] = fields.split(" ").slice(13, 15).map(Number);
  return (user + system) * 10;
}
