import type { AddressLine } from "./addresses/address-list.js";
import type { ConfigOutput } from "./schema.js";

type DeepReadonly<T> = T extends readonly (infer E)[]
  ? readonly DeepReadonly<E>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;

/** A provider to load. */
export interface ProviderEntry {
  /** npm package name, or a path. */
  readonly package: string;
  readonly options: Readonly<Record<string, unknown>>;
  /** Where the entry stands (`verbena.yaml:12`), for messages. */
  readonly where: string;
  /** Not being installed is worth a log line only. */
  readonly isOptional: boolean;
}

/** Where names of the local endpoints come from. */
export interface AddressConfig {
  readonly supportIps: boolean;
  /** The address file that was asked for, absolute or as given; absent when none was. */
  readonly file?: string;
  /** False: the file is not there (yet); the daemon writes or makes up the default one. */
  readonly isFound: boolean;
  readonly lines: readonly AddressLine[];
}

/**
 * The configuration, complete and checked: ibacm's files, `verbena.yaml` and the caller's own settings laid over each other, all
 * defaults filled in. Durations in milliseconds.
 */
export interface DaemonConfig {
  readonly daemon: DeepReadonly<ConfigOutput["daemon"]> & { readonly logFile: string; readonly lockFile: string };
  readonly sa: DeepReadonly<ConfigOutput["sa"]>;
  readonly resolver: DeepReadonly<ConfigOutput["resolver"]> & { readonly deadlineMs: number };
  readonly caches: DeepReadonly<ConfigOutput["caches"]>;
  /** Provider names in order; `undefined` = every provider with the role, in the order of `providers`. */
  readonly chains: {
    readonly address: readonly string[] | undefined;
    readonly route: readonly string[] | undefined;
  };
  readonly providers: readonly ProviderEntry[];
  readonly preload: {
    readonly hosts?: string;
    readonly routeDump?: string;
    /** Life of the paths in the dump: that of all paths where a file says it, else for ever. */
    readonly routeTtlMs: number | "never";
  };
  readonly addresses: AddressConfig;
  /** Library paths; absent = the system's. */
  readonly native: { readonly libibverbs?: string; readonly libibumad?: string; readonly librdmacm?: string };
  /** Options of `@verbena/rds`: transports of RDS sockets. Packages with transports of others are `providers`. */
  readonly rds: DeepReadonly<ConfigOutput["rds"]>;
  /** Folder that provider packages are looked for in first: the one of `verbena.yaml`, else the working directory. */
  readonly folder: string;
}
