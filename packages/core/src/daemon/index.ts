export { Daemon } from "./daemon.js";
export type { DaemonOptions, DaemonReady, DaemonState } from "./options.js";
export type { HostedRds, RdsHosting, RdsHostingServices } from "./rds-hosting.js";
