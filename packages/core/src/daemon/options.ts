import type { OptionNames } from "@verbena/ib";
import type { NativeOptions, NativeServices } from "@verbena/native";
import type { SourceSelector } from "../addresses/source-selector.js";
import type { ConfigSources } from "../config/inspect-config.js";
import type { ProviderPlace } from "../host/load-module.js";
import type { ProviderRequest } from "../host/provider-registry.js";
import type { Clock } from "../sdk/services.js";
import type { AcmServerLimits } from "../server/limits.js";
import type { RdsHosting } from "./rds-hosting.js";

/** What a daemon is started with. */
export interface DaemonOptions {
  /** Read at start and at each reload. */
  readonly sources?: ConfigSources;
  /** Native services that stay open, or options to open own ones (a simulated fabric, library paths). */
  readonly native?: NativeServices | NativeOptions;
  /** Take the sockets systemd hands over, and tell it what happens. */
  readonly systemd?: boolean;
  /** Where provider packages are looked for, behind the configuration's folder: the program's own folder, packages it has at hand. */
  readonly folders?: readonly ProviderPlace[];
  /** Providers beside those of the configuration. */
  readonly providers?: readonly ProviderRequest[];
  /** Default: the kernel's routing; on a simulated fabric the node's addresses. */
  readonly sourceSelector?: SourceSelector;
  readonly limits?: Partial<AcmServerLimits>;
  readonly clock?: Clock;
  /** Shown by the status. */
  readonly version?: string;
  /** How long start waits for endpoints that are joining, milliseconds. Default 2000. */
  readonly settleMs?: number;
  /** How RDS sockets of other processes are hosted, where the configuration asks for it (`rds.attach`). Default: not at all. */
  readonly rds?: RdsHosting;
}

/** All of them, for the check of their names. */
export const DAEMON_OPTIONS: OptionNames<DaemonOptions> = {
  sources: true,
  native: true,
  systemd: true,
  folders: true,
  providers: true,
  sourceSelector: true,
  limits: true,
  clock: true,
  version: true,
  settleMs: true,
  rds: true,
};

/** Where a daemon that is ready can be reached. */
export interface DaemonReady {
  /** Unix socket paths, or `HOST:PORT`. */
  readonly listening: readonly string[];
  /** Path of the control socket, where there is one. */
  readonly control?: string;
  /** Path at which processes attach for RDS sockets, where they can. */
  readonly rds?: string;
}

/** A daemon's life: forward only, but for `ready` and `reloading`. */
export type DaemonState = "new" | "starting" | "ready" | "reloading" | "stopping" | "stopped";
