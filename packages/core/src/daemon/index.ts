export { Daemon } from "./daemon.js";
export type { DaemonOptions, DaemonReady } from "./options.js";
