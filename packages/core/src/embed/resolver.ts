import type { OptionNames } from "@verbena/ib";
import type { NativeOptions, NativeServices } from "@verbena/native";
import type { SourceSelector } from "../addresses/source-selector.js";
import { checkOptions } from "../check-options.js";
import { loadConfig } from "../config/load-config.js";
import type { ConfigInput } from "../config/schema.js";
import { formatDiagnostic } from "../config/text/diagnostic.js";
import type { EndpointStatus, EngineChange, ResolveAnswer, ResolverEngine } from "../engine/contract.js";
import { coreError } from "../errors.js";
import { silentLogger, systemClock } from "../host/default-services.js";
import type { ProviderPlace } from "../host/load-module.js";
import type { Destination } from "../sdk/destination.js";
import type { Clock, Logger, Metrics, Random } from "../sdk/services.js";
import { type ComposedEngine, composeEngine } from "./compose-engine.js";
import { type NativeHost, nativeHost } from "./native-host.js";
import { parseDestination } from "./parse-destination.js";
import { type ProviderOption, programFolders, providerRequest } from "./provider-option.js";
import { endpointsSettled } from "./settled.js";

/** What {@link createResolver} takes. Everything has a default. */
export interface ResolverOptions {
  /** Path of a `verbena.yaml`, or its content as an object. ibacm's files are read only if it names them. */
  readonly config?: string | ConfigInput;
  /** Native services of {@link createHost}, which stay open, or options to open own ones. */
  readonly native?: NativeServices | NativeOptions;
  /** Join a simulated fabric: the same as `native: { fabric }`. */
  readonly fabric?: NativeOptions["fabric"];
  /** Providers asked in this order, instead of the default ones; chains of the configuration still decide if it has some. */
  readonly providers?: readonly ProviderOption[];
  /** Chooses the local address when a request names none. Default: the kernel's routing; on a simulated fabric the node's addresses. */
  readonly sourceSelector?: SourceSelector;
  readonly logger?: Logger;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly metrics?: Metrics;
  /** Where provider packages are looked for. Default: the program's own folder. */
  readonly folders?: readonly ProviderPlace[];
  /** How long creation waits for endpoints that are joining, milliseconds. Default 2000; 0 = not at all. */
  readonly settleMs?: number;
}

/** Options of one question. */
export interface ResolveOptions {
  /** A local name or address; texts as {@link parseDestination} reads them. Absent = the resolver chooses. */
  readonly source?: string | Destination;
  /** Answer from the cache, or fail at once and look up in the background. */
  readonly noDelay?: boolean;
  /** From now, milliseconds. */
  readonly deadlineMs?: number;
  /** 1 to 127. */
  readonly maxPaths?: number;
  readonly signal?: AbortSignal;
}

/** Resolves names and addresses to InfiniBand paths, inside this process. */
export interface Resolver extends AsyncDisposable {
  /**
   * Texts as {@link parseDestination} reads them. Rejects with VERBENA_RESOLVE_NO_DATA, _TIMEOUT, _NO_SOURCE, _NOT_READY, _ABORTED,
   * _CLOSED and their like; with VERBENA_OPTION_UNKNOWN or VERBENA_OPTION_VALUE for options that are none.
   */
  resolve(destination: string | Destination, options?: ResolveOptions): Promise<ResolveAnswer>;
  /** Ports, endpoints and addresses as they come and go. Ends with `signal` or when the resolver closes. */
  changes(signal?: AbortSignal): AsyncIterableIterator<EngineChange>;
  /** The local endpoints as they are now, in ibacm's order. */
  endpoints(): readonly EndpointStatus[];
  /** The engine behind it: caches, counters, paths by LID or GID. */
  readonly engine: ResolverEngine;
  /** Names of the loaded providers, in order. */
  readonly providers: readonly string[];
  /** Settles all questions in work, closes endpoints, ports, providers and own native services. Idempotent. */
  close(): Promise<void>;
}

const SETTLE_MS = 2000;
/** Most paths of one answer: the SA's NumbPath has seven bits. */
const MAX_PATHS = 127;

const RESOLVER_OPTIONS: OptionNames<ResolverOptions> = {
  config: true,
  native: true,
  fabric: true,
  providers: true,
  sourceSelector: true,
  logger: true,
  clock: true,
  random: true,
  metrics: true,
  folders: true,
  settleMs: true,
};
const RESOLVE_OPTIONS: OptionNames<ResolveOptions> = {
  source: true,
  noDelay: true,
  deadlineMs: true,
  maxPaths: true,
  signal: true,
};

/**
 * Starts a resolver. Rejects with VERBENA_CONFIG_INVALID, VERBENA_OPTION_UNKNOWN, VERBENA_PROVIDER_… or VERBENA_NATIVE_…; nothing is
 * left running then. An open resolver listens to its devices, so it keeps the process alive until it is closed.
 *
 * @example
 * await using resolver = await createResolver();
 * const { paths } = await resolver.resolve("node12");
 */
export async function createResolver(options: ResolverOptions = {}): Promise<Resolver> {
  checkOptions("createResolver", options, RESOLVER_OPTIONS);
  const logger = options.logger ?? silentLogger;
  const clock = options.clock ?? systemClock;
  const { config, diagnostics } = await loadConfig({
    ignoreDefaults: true,
    ...(typeof options.config === "string" ? { config: options.config } : {}),
    overrides: overrides(options),
    origin: "options of createResolver",
  });
  for (const diagnostic of diagnostics) {
    logger[diagnostic.severity === "warning" ? "warn" : "info"](formatDiagnostic(diagnostic));
  }
  const host = nativeHost(nativeOf(options, config.native));
  try {
    const composed = await composeEngine({
      config,
      native: host.native,
      logger,
      clock,
      sourceSelector: options.sourceSelector ?? (host.isSimulated ? "fabric" : "kernel"),
      providers: (options.providers ?? []).map(providerRequest),
      folders: options.folders ?? programFolders(),
      ...(options.random === undefined ? {} : { random: options.random }),
      ...(options.metrics === undefined ? {} : { metrics: options.metrics }),
    });
    await endpointsSettled(composed.engine, clock, options.settleMs ?? SETTLE_MS);
    return new EmbeddedResolver(composed, host);
  } catch (error) {
    if (host.isOwned) await host.native.close();
    throw error;
  }
}

/** With providers in hand the default ones are not wanted, unless the configuration lists some. */
function overrides(options: ResolverOptions): ConfigInput {
  const input = typeof options.config === "object" ? options.config : {};
  const hasOwn = options.providers !== undefined && typeof options.config !== "string";
  return hasOwn && input.providers === undefined ? { ...input, providers: [] } : input;
}

function nativeOf(options: ResolverOptions, paths: NativeOptions): NativeServices | NativeOptions {
  const given = options.native ?? {};
  if ("umad" in given) return given;
  return { ...paths, ...given, ...(options.fabric === undefined ? {} : { fabric: options.fabric }) };
}

class EmbeddedResolver implements Resolver {
  readonly engine: ResolverEngine;
  readonly providers: readonly string[];
  #closing: Promise<void> | undefined;
  #nextClient = 1;

  constructor(
    private readonly composed: ComposedEngine,
    private readonly host: NativeHost,
  ) {
    this.engine = composed.engine;
    this.providers = composed.providers;
  }

  async resolve(destination: string | Destination, options: ResolveOptions = {}): Promise<ResolveAnswer> {
    const { source, noDelay, deadlineMs, maxPaths, signal } = checkResolveOptions(options);
    return await this.engine.resolve({
      destination: toDestination(destination),
      ...(source === undefined ? {} : { source: toDestination(source) }),
      ...(noDelay === undefined ? {} : { noDelay }),
      ...(deadlineMs === undefined ? {} : { deadlineMs }),
      ...(maxPaths === undefined ? {} : { maxPaths }),
      ...(signal === undefined ? {} : { signal }),
      client: { id: this.#nextClient++, kind: "embed" },
    });
  }

  changes(signal?: AbortSignal): AsyncIterableIterator<EngineChange> {
    return this.engine.changes(signal);
  }

  endpoints(): readonly EndpointStatus[] {
    return this.engine.endpoints();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    await this.composed.close();
    if (this.host.isOwned) await this.host.native.close();
  }
}

function checkResolveOptions(options: ResolveOptions): ResolveOptions {
  checkOptions("resolve", options, RESOLVE_OPTIONS);
  const { maxPaths, deadlineMs } = options;
  const bad = (option: string, wanted: string, value: number): Error =>
    coreError("VERBENA_OPTION_VALUE", { details: { of: "resolve", option, wanted, value } });
  if (maxPaths !== undefined && !(Number.isInteger(maxPaths) && maxPaths >= 1 && maxPaths <= MAX_PATHS)) {
    throw bad("maxPaths", `a whole number from 1 to ${String(MAX_PATHS)}`, maxPaths);
  }
  if (deadlineMs !== undefined && !(deadlineMs > 0)) throw bad("deadlineMs", "more than 0", deadlineMs);
  return options;
}

function toDestination(given: string | Destination): Destination {
  return typeof given === "string" ? parseDestination(given) : given;
}
