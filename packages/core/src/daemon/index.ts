export type { DaemonOptions, DaemonReady } from "./daemon.js";
export { Daemon } from "./daemon.js";
