import type { NativeServices } from "@verbena/native";
import type { AddressFileEntry } from "../addresses/local-addresses.js";
import type { SourceSelector } from "../addresses/source-selector.js";
import { DEFAULT_ADDRESS_REFRESH_MS, DEFAULT_ROUTE_REFRESH_MS, DEFAULT_ROUTE_TTL_MS } from "../cache/lifetimes.js";
import { DEFAULT_REFRESH_SHARE } from "../cache/refresh.js";
import { coreError } from "../errors.js";
import { noMetrics, silentLogger, systemClock, systemRandom } from "../host/default-services.js";
import type { PreloadSource } from "../preload/types.js";
import { DEFAULT_BREAKER_AFTER, DEFAULT_BREAKER_PAUSE_MS } from "../sa-client/sa-breaker.js";
import { DEFAULT_SA_DEPTH } from "../sa-client/sa-client-options.js";
import type { SaWindow } from "../sa-client/sa-window.js";
import type { ResolutionProvider } from "../sdk/provider.js";
import type { Clock, Logger, Metrics, Random } from "../sdk/services.js";
import { Accounts } from "./accounts.js";
import type { CommandReader } from "./client-book.js";
import type { Ground } from "./footing.js";

/** Which providers are asked, in which order. Names are keys of `EngineOptions.providers`. */
export interface ChainNames {
  readonly address: readonly string[];
  readonly route: readonly string[];
  /**
   * How long the address chain waits for a silent provider before it asks the next one beside it, milliseconds. Default 300.
   * `false`: one after the other, each with its share of the time.
   */
  readonly companionDelayMs?: number | false;
}

/** What {@link createEngine} needs. Durations in milliseconds; `Infinity` = never. */
export interface EngineOptions {
  readonly native: NativeServices;
  /** Constructed and in the order they were configured. The engine opens ports on them; it does not dispose them. */
  readonly providers: ReadonlyMap<string, ResolutionProvider>;
  readonly chains: ChainNames;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
  /** Per try of a question to the SA. Default 2000. */
  readonly timeoutMs?: number;
  /** Tries after the first. Default 2. */
  readonly retries?: number;
  /** How long a request may take unless it says otherwise. Default (retries + 1) × timeoutMs. */
  readonly deadlineMs?: number;
  /**
   * Most queries on their way to the SA at once, per port; fewer while it is BUSY or silent. Default 16: an SA serves many, ibacm's 1 lets one
   * slow answer hold up all.
   */
  readonly saDepth?: number;
  /** Makes the window of a port, instead of an adaptive one of at most `saDepth`. */
  readonly saWindow?: () => SaWindow;
  /** Time-outs one after the other after which a silent SA is left alone for a while. Default 5; 0 = it never is. */
  readonly saBreakerAfter?: number;
  /** First pause of a silent SA, milliseconds; doubles up to a minute. Default 1000. */
  readonly saBreakerPauseMs?: number;
  /** Subscribe to the SA's notices of ports that come, go or change. Default true. */
  readonly notices?: boolean;
  /** Default 24 hours. */
  readonly addressTtlMs?: number;
  /** Age at which an address that is asked for is looked up again in the background. Default 10 minutes; those from files are not. */
  readonly addressRefreshMs?: number;
  /** Default 10 minutes; a route goes at the latest with the address it was found for. */
  readonly routeTtlMs?: number;
  /** Age at which a path that is asked for is looked up again in the background. Default a minute; files are not. */
  readonly routeRefreshMs?: number;
  /** Life of paths from files. Default: `routeTtlMs` if given, else never; a file is what its author says it is. */
  readonly fileRouteTtlMs?: number;
  /** How long a failed lookup is remembered. Default 1000; 0 = not at all. */
  readonly negativeTtlMs?: number;
  /**
   * Last share of an entry's life in which it is refreshed in the background when asked for. Default 0.1; 0 = not because its end is near. `addressRefreshMs` and
   * `routeRefreshMs` count all the same: only with both `Infinity` too nothing is refreshed.
   */
  readonly refreshShare?: number;
  /** Bound of each of the two caches, over all endpoints. Default 100,000. */
  readonly cacheMaxEntries?: number;
  /** `local` (default): own addresses are answered from here; `none`: they are asked for like any other. */
  readonly loopback?: "local" | "none";
  /** Lines of the address file. */
  readonly addressFile?: readonly AddressFileEntry[];
  /** Take IP addresses from the address file too. Default false. */
  readonly supportIpsInAddressFile?: boolean;
  /** `kernel` (default) asks the kernel's routing, `fabric` the addresses of a simulated node. */
  readonly sourceSelector?: SourceSelector | "kernel" | "fabric";
  /** What is known from files; read for each endpoint when it comes up. */
  readonly preload?: PreloadSource;
  /** Where it is counted; a daemon hands each engine the same ones. Default: new ones. */
  readonly accounts?: Accounts;
  /** A ground that answers rested on is lost; called at once, before anybody can be answered from what has taken its place. */
  readonly onLost?: (ground: Ground) => void;
  /** The command's name of a client's process, for `clients()`, unless `accounts` are given. Default: `/proc/PID/comm`. */
  readonly commandOf?: CommandReader;
  /** Name shown in the endpoint query. Default `ibacmp` when the address chain names `acm`, else the first provider of the chain. */
  readonly providerLabel?: string;
}

/** All defaults filled in. */
export type EngineSettings = Required<Omit<EngineOptions, "saWindow" | "preload" | "chains" | "commandOf">> &
  Pick<EngineOptions, "saWindow" | "preload"> & {
    readonly chains: { readonly address: readonly string[]; readonly route: readonly string[] };
    /** `undefined`: the address chain is asked one after the other. */
    readonly companionDelayMs: number | undefined;
  };

const DAY_MS = 86_400_000;
const COMPANION_DELAY_MS = 300;

/** Applies the defaults; throws VERBENA_ENGINE_CHAIN when a chain names a provider that is not there. */
export function engineSettings(options: EngineOptions): EngineSettings {
  const { chains, providers } = options;
  for (const chain of ["address", "route"] as const) {
    for (const name of chains[chain]) {
      if (providers.has(name)) continue;
      const loaded = [...providers.keys()].join(", ") || "none";
      throw coreError("VERBENA_ENGINE_CHAIN", { details: { chain, name, loaded } });
    }
  }
  const timeoutMs = options.timeoutMs ?? 2_000;
  const retries = options.retries ?? 2;
  const delay = chains.companionDelayMs ?? COMPANION_DELAY_MS;
  return {
    clock: systemClock,
    random: systemRandom,
    logger: silentLogger,
    metrics: noMetrics,
    deadlineMs: (retries + 1) * timeoutMs,
    saDepth: DEFAULT_SA_DEPTH,
    saBreakerAfter: DEFAULT_BREAKER_AFTER,
    saBreakerPauseMs: DEFAULT_BREAKER_PAUSE_MS,
    notices: true,
    addressTtlMs: DAY_MS,
    addressRefreshMs: DEFAULT_ADDRESS_REFRESH_MS,
    routeTtlMs: DEFAULT_ROUTE_TTL_MS,
    routeRefreshMs: DEFAULT_ROUTE_REFRESH_MS,
    fileRouteTtlMs: options.routeTtlMs ?? Number.POSITIVE_INFINITY,
    negativeTtlMs: 1_000,
    refreshShare: DEFAULT_REFRESH_SHARE,
    cacheMaxEntries: 100_000,
    loopback: "local",
    addressFile: [],
    supportIpsInAddressFile: false,
    sourceSelector: "kernel",
    onLost: () => undefined,
    accounts: options.accounts ?? new Accounts(options.random ?? systemRandom, options.commandOf),
    providerLabel: chains.address.includes("acm") ? "ibacmp" : (chains.address[0] ?? chains.route[0] ?? "none"),
    ...options,
    timeoutMs,
    retries,
    companionDelayMs: delay === false ? undefined : delay,
  };
}
