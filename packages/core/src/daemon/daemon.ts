import { checkOptions } from "../check-options.js";
import type { DaemonConfig } from "../config/daemon-config.js";
import { type LoadedConfig, loadConfig } from "../config/load-config.js";
import { type Diagnostic, formatDiagnostic } from "../config/text/diagnostic.js";
import type { LostFunctionJson, ReloadJson, StatusJson } from "../control/wire.js";
import type { ResolverEngine } from "../engine/contract.js";
import { coreError } from "../errors.js";
import { systemClock } from "../host/default-services.js";
import { KERNEL_ANSWERS } from "../kernel/index.js";
import type { Clock } from "../sdk/services.js";
import type { AcmAddress } from "../server/listen.js";
import { compareConfigs } from "./config-change.js";
import { preloadVersions } from "./file-versions.js";
import type { DaemonLog } from "./log.js";
import { DAEMON_OPTIONS, type DaemonOptions, type DaemonReady, type DaemonState } from "./options.js";
import {
  closeParts,
  composeDaemonEngine,
  logOptions,
  openBase,
  openService,
  type Parts,
  type RunningParts,
} from "./parts.js";
import { within } from "./within.js";

/**
 * The daemon: configuration, log, lock, engine, client protocol server and control socket, in the order in which they start; they
 * stop in the reverse one. Signals are the program's business: call {@link reload} and {@link stop}.
 */
export class Daemon implements AsyncDisposable {
  readonly #options: DaemonOptions;
  readonly #clock: Clock;
  #state: DaemonState = "new";
  #startedAt = 0;
  #reloads = 0;
  #preloadVersions = "";
  #loaded: LoadedConfig | undefined;
  #parts: Parts | undefined;
  #ready: Promise<DaemonReady> | undefined;
  #reloading: Promise<unknown> = Promise.resolve();
  #stopping: Promise<void> | undefined;
  /** Ends what a reload is reading. */
  readonly #ending = new AbortController();

  /** Throws VERBENA_OPTION_UNKNOWN. */
  constructor(options: DaemonOptions = {}) {
    checkOptions("Daemon", options, DAEMON_OPTIONS);
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Where the daemon is in its life. */
  get state(): DaemonState {
    return this.#state;
  }

  /** The configuration in use. Throws VERBENA_DAEMON_STATE before it is read. */
  get config(): DaemonConfig {
    if (this.#loaded === undefined) throw this.#stateError("config");
    return this.#loaded.config;
  }

  /** Settles as {@link start} does. Throws VERBENA_DAEMON_STATE before start. */
  get ready(): Promise<DaemonReady> {
    if (this.#ready === undefined) throw this.#stateError("ready");
    return this.#ready;
  }

  /** The engine in use, behind the same object before and after a reload. Throws VERBENA_DAEMON_STATE unless it runs. */
  get engine(): ResolverEngine {
    if (this.#parts?.engine === undefined) throw this.#stateError("engine");
    return this.#parts.engine;
  }

  /**
   * Starts everything, in order. Rejects with VERBENA_CONFIG_INVALID, VERBENA_DAEMON_LOCKED, VERBENA_DAEMON_SYSTEMD,
   * VERBENA_PROVIDER_…, VERBENA_SERVER_… or VERBENA_NATIVE_…; nothing is left running then.
   */
  start(): Promise<DaemonReady> {
    if (this.#state !== "new") return Promise.reject(this.#stateError("start"));
    this.#state = "starting";
    this.#ready = this.#start();
    return this.#ready;
  }

  /**
   * Reads the files again and takes over what has changed, without closing a connection. A changed engine starts beside the old one
   * with empty caches and takes its place when it is ready. With errors in the files the running configuration stays: rejects with
   * VERBENA_CONFIG_INVALID or with what kept the new engine from starting.
   */
  reload(): Promise<ReloadJson> {
    const next = this.#reloading.then(() => this.#reload());
    this.#reloading = next.catch(() => undefined);
    return next;
  }

  /**
   * Stops: takes no more requests, answers those in work, closes everything. What is not done at the deadline is cut off.
   * Idempotent; a stop during start waits for the start to end, a
   * reload that is reading files ends with VERBENA_DAEMON_STATE.
   */
  stop(options: { readonly deadlineMs?: number } = {}): Promise<void> {
    this.#stopping ??= this.#stop(options.deadlineMs);
    return this.#stopping;
  }

  /** The same as `stop`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /** What `GET /v1/status` tells. */
  status(): StatusJson {
    const states = this.engine.endpoints().map(({ state }) => state);
    const count = (wanted: string): number => states.filter((state) => state === wanted).length;
    return {
      name: "verbena",
      version: this.#options.version ?? "unknown",
      pid: process.pid,
      state: this.#state === "reloading" || this.#state === "stopping" ? this.#state : "ready",
      uptimeMs: Math.round(this.#clock.now() - this.#startedAt),
      ...this.#contact(),
      clients: this.#parts?.server?.clientCount ?? 0,
      reloads: this.#reloads,
      endpoints: { ready: count("ready"), joining: count("joining"), failed: count("failed") },
      providers: this.#parts?.composed?.providers ?? [],
      chains: this.#parts?.composed?.chains ?? { address: [], route: [] },
      ...(this.#parts?.kernel === undefined ? {} : { kernelService: this.#parts.kernel.status }),
      warnings: warningsOf(this.#loaded?.diagnostics ?? []),
      degraded: [...this.engine.lostFunctions(), ...lostKernelService(this.#parts?.kernel?.status)],
    };
  }

  async #start(): Promise<DaemonReady> {
    this.#startedAt = this.#clock.now();
    const parts: Parts = {};
    try {
      this.#loaded = await loadConfig(this.#options.sources);
      const { config, diagnostics } = this.#loaded;
      const log = openBase(config, this.#options.native ?? {}, parts);
      this.#parts = parts;
      logDiagnostics(log, diagnostics);
      this.#preloadVersions = await preloadVersions(config.preload);
      await openService(config, this.#options, this.#clock, this, parts as RunningParts);
      this.#state = "ready";
      this.#notify("READY=1");
      const ready = this.#reachable();
      if (config.daemon.serverMode === "open" && config.daemon.socket === undefined) {
        log.logger.warn("server_mode open: every host that reaches this one can ask, and nobody is authenticated");
      }
      log.notice("ready", { ...ready });
      return ready;
    } catch (error) {
      parts.log?.logger.error("start failed", { error });
      await closeParts(parts, this.#clock, 0, Promise.resolve());
      this.#state = "stopped";
      throw error;
    }
  }

  /** As the status tells it. */
  #contact(): Pick<StatusJson, "listening" | "control" | "rds"> {
    const { rds, ...doors } = this.#reachable();
    return rds === undefined ? doors : { ...doors, rds: { path: rds, sockets: this.#parts?.rds?.socketCount ?? 0 } };
  }

  #reachable(): DaemonReady {
    const control = this.#parts?.control?.path;
    const rds = this.#parts?.rds?.path;
    return {
      listening: this.#parts?.server?.addresses.map(addressText) ?? [],
      ...(control === undefined ? {} : { control }),
      ...(rds === undefined ? {} : { rds }),
    };
  }

  async #reload(): Promise<ReloadJson> {
    const { parts, loaded } = this.#running("reload");
    const { log } = parts;
    this.#state = "reloading";
    this.#notify("RELOADING=1");
    try {
      const { signal } = this.#ending;
      const next = await loadConfig(this.#options.sources, { signal });
      logDiagnostics(log, next.diagnostics);
      const versions = await preloadVersions(next.config.preload, signal);
      const hasNewFiles = versions !== this.#preloadVersions;
      const change = compareConfigs(loaded.config, next.config);
      if (change.needsEngine || hasNewFiles) await this.#exchangeEngine(next.config, parts);
      else if (change.needsAddresses) await parts.composed.readdress(next.config.addresses);
      // A device that has come since is found, too.
      parts.composed.engine.rescan();
      parts.kernel.refresh(next.config.daemon.kernelTimeoutMs);
      log.reopen(logOptions(next.config));
      this.#loaded = next;
      this.#preloadVersions = versions;
      this.#reloads += 1;
      const { needRestart } = change;
      const applied = hasNewFiles ? [...new Set([...change.applied, "preload"])] : change.applied;
      log.notice("configuration reloaded", { applied });
      if (needRestart.length > 0) log.logger.warn("some changes take effect at the next start", { keys: needRestart });
      return { applied, needRestart, warnings: warningsOf(next.diagnostics) };
    } catch (error) {
      log.logger.error("reload failed, the running configuration stays", { error });
      throw error;
    } finally {
      // A stop may have begun meanwhile; TypeScript does not see that.
      if ((this.#state as DaemonState) === "reloading") {
        this.#state = "ready";
        this.#notify("READY=1");
      }
    }
  }

  async #exchangeEngine(config: DaemonConfig, parts: RunningParts): Promise<void> {
    const next = await composeDaemonEngine(config, this.#options, this.#clock, parts);
    const old = parts.composed;
    parts.composed = next;
    const isIdle = parts.engine.exchange(next.engine, "reload");
    await within(this.#clock, config.daemon.stopDeadlineMs, isIdle);
    await old.close();
  }

  async #stop(deadlineMs: number | undefined): Promise<void> {
    if (this.#state === "new") this.#state = "stopped";
    await this.#ready?.catch(() => undefined);
    const parts = this.#parts;
    if (this.#state === "stopped" || parts === undefined) return;
    this.#state = "stopping";
    this.#notify("STOPPING=1");
    parts.log?.notice("stopping");
    this.#ending.abort(this.#stateError("reload"));
    const limit = deadlineMs ?? this.#loaded?.config.daemon.stopDeadlineMs ?? 0;
    await closeParts(parts, this.#clock, limit, this.#reloading);
    this.#state = "stopped";
  }

  #running(operation: string): { readonly parts: RunningParts; readonly loaded: LoadedConfig } {
    const parts = this.#parts;
    if (this.#state !== "ready" || parts === undefined || this.#loaded === undefined) throw this.#stateError(operation);
    return { parts: parts as RunningParts, loaded: this.#loaded };
  }

  #notify(state: string): void {
    if (this.#options.systemd === true) this.#parts?.host?.native.process.notify(state);
  }

  #stateError(operation: string): Error {
    return coreError("VERBENA_DAEMON_STATE", { details: { state: this.#state, operation } });
  }
}

/** The kernel's questions are a function like any other: what takes it away is named with the rest. */
function lostKernelService(status: StatusJson["kernelService"]): readonly LostFunctionJson[] {
  if (status?.state !== "lost") return [];
  const { reason = "the kernel does not ask", remedy } = status;
  return [{ function: KERNEL_ANSWERS, reason, ...(remedy === undefined ? {} : { remedy }) }];
}

function addressText(address: AcmAddress): string {
  switch (address.kind) {
    case "unix":
      return address.path;
    case "tcp":
      return `${address.host}:${String(address.port)}`;
    case "fd":
      return `descriptor ${String(address.fd)}`;
    default: {
      const never: never = address;
      return never;
    }
  }
}

function warningsOf(diagnostics: readonly Diagnostic[]): readonly string[] {
  return diagnostics.filter(({ severity }) => severity === "warning").map(formatDiagnostic);
}

function logDiagnostics(log: DaemonLog, diagnostics: readonly Diagnostic[]): void {
  for (const diagnostic of diagnostics) {
    const text = formatDiagnostic(diagnostic);
    if (diagnostic.severity === "note") log.notice(text);
    else log.logger.warn(text);
  }
}
