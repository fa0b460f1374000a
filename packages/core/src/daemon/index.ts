export { Daemon } from "./daemon.js";
export type { DaemonOptions, DaemonReady, DaemonState } from "./options.js";
