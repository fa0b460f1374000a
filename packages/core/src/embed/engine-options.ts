import type { DaemonConfig } from "../config/daemon-config.js";
import type { EngineOptions } from "../engine/options.js";

/** The part of the engine's options that the configuration decides. */
export function engineOptions(
  config: DaemonConfig,
): Pick<
  EngineOptions,
  | "timeoutMs"
  | "retries"
  | "deadlineMs"
  | "saDepth"
  | "notices"
  | "saBreakerAfter"
  | "saBreakerPauseMs"
  | "addressTtlMs"
  | "addressRefreshMs"
  | "routeTtlMs"
  | "routeRefreshMs"
  | "fileRouteTtlMs"
  | "negativeTtlMs"
  | "refreshShare"
  | "cacheMaxEntries"
  | "loopback"
  | "supportIpsInAddressFile"
> {
  const { sa, resolver, caches, addresses, preload } = config;
  return {
    timeoutMs: sa.timeoutMs,
    retries: sa.retries,
    deadlineMs: resolver.deadlineMs,
    saDepth: sa.depth,
    notices: sa.notices,
    saBreakerAfter: sa.breakerAfter,
    saBreakerPauseMs: sa.breakerPauseMs,
    addressTtlMs: lifetime(caches.address.ttlMs),
    addressRefreshMs: lifetime(caches.address.refreshMs),
    routeTtlMs: lifetime(caches.route.ttlMs),
    routeRefreshMs: lifetime(caches.route.refreshMs),
    fileRouteTtlMs: lifetime(preload.routeTtlMs),
    negativeTtlMs: caches.negativeTtlMs,
    refreshShare: caches.refreshShare,
    cacheMaxEntries: caches.maxEntries,
    loopback: resolver.loopback,
    supportIpsInAddressFile: addresses.supportIps,
  };
}

function lifetime(ttlMs: number | "never"): number {
  return ttlMs === "never" ? Number.POSITIVE_INFINITY : ttlMs;
}
