import { isDeepStrictEqual } from "node:util";
import type { DaemonConfig } from "../config/daemon-config.js";

/** What a new configuration asks of a running daemon. */
export interface ConfigChange {
  /** The engine and its providers have to be made anew. */
  readonly needsEngine: boolean;
  /** Only lines of the address file have changed: the engine can take them as it runs. */
  readonly needsAddresses: boolean;
  /** Sections that take effect now. */
  readonly applied: readonly string[];
  /** Keys that take effect at the next start. */
  readonly needRestart: readonly string[];
}

const ENGINE_SECTIONS = [
  "sa",
  "resolver",
  "caches",
  "chains",
  "providers",
  "preload",
  "addresses",
  "folder",
] as const satisfies readonly (keyof DaemonConfig)[];

const LIVE_KEYS = ["logFile", "logLevel", "stopDeadlineMs", "kernelTimeoutMs"] as const;

/** Compares the running configuration with a new one. */
export function compareConfigs(before: DaemonConfig, after: DaemonConfig): ConfigChange {
  const engine = ENGINE_SECTIONS.filter((section) => !isDeepStrictEqual(before[section], after[section]));
  // Whether IPs of the file count decides more than its lines.
  const isOnlyLines =
    engine.every((section) => section === "addresses") && before.addresses.supportIps === after.addresses.supportIps;
  const keys = new Set([...Object.keys(before.daemon), ...Object.keys(after.daemon)]) as Set<
    keyof DaemonConfig["daemon"]
  >;
  const changed = [...keys].filter((key) => !isDeepStrictEqual(before.daemon[key], after.daemon[key]));
  const live = changed.filter((key) => (LIVE_KEYS as readonly string[]).includes(key));
  return {
    needsEngine: engine.length > 0 && !isOnlyLines,
    needsAddresses: engine.length > 0 && isOnlyLines,
    applied: [...engine, ...live.map((key) => `daemon.${key}`)],
    needRestart: [
      ...changed.filter((key) => !live.includes(key)).map((key) => `daemon.${key}`),
      ...(isDeepStrictEqual(before.native, after.native) ? [] : ["native"]),
      // Whatever of it the daemon uses belongs to sockets that are open; others read it when they start.
      ...(isDeepStrictEqual(hosted(before), hosted(after)) ? [] : ["rds"]),
    ],
  };
}

/** What of the section `rds` the daemon itself uses. */
function hosted({ rds }: DaemonConfig): DaemonConfig["rds"] | undefined {
  return rds.attach === undefined ? undefined : rds;
}
