import type { FileLock, NativeOptions, NativeServices } from "@verbena/native";
import { createAcmHandler } from "../acm/acm-handler.js";
import type { SourceSelector } from "../addresses/source-selector.js";
import type { DaemonConfig } from "../config/daemon-config.js";
import { type ConfigSources, type LoadedConfig, loadConfig } from "../config/load-config.js";
import { type Diagnostic, formatDiagnostic } from "../config/text/diagnostic.js";
import { type ControlServer, createControlServer } from "../control/control-server.js";
import type { ReloadJson, StatusJson } from "../control/wire.js";
import { type ComposedEngine, composeEngine } from "../embed/compose-engine.js";
import { addressLines } from "../embed/default-addresses.js";
import { type NativeHost, nativeHost } from "../embed/native-host.js";
import { endpointsSettled } from "../embed/settled.js";
import type { ResolverEngine } from "../engine/contract.js";
import { coreError } from "../errors.js";
import { systemClock } from "../host/default-services.js";
import type { ProviderRequest } from "../host/provider-registry.js";
import type { Clock } from "../sdk/services.js";
import { type AcmServer, createAcmServer } from "../server/acm-server.js";
import type { AcmServerLimits } from "../server/limits.js";
import type { AcmAddress } from "../server/listen.js";
import { compareConfigs } from "./config-change.js";
import { EngineSwitch } from "./engine-switch.js";
import { preloadVersions } from "./file-versions.js";
import { planListening } from "./listening.js";
import { DaemonLog, type LogLevel } from "./log.js";

/** What a daemon is started with. */
export interface DaemonOptions {
  /** Read at start and at each reload. */
  readonly sources?: ConfigSources;
  /** Native services that stay open, or options to open own ones (a simulated fabric, library paths). */
  readonly native?: NativeServices | NativeOptions;
  /** Take the sockets systemd hands over, and tell it what happens. */
  readonly systemd?: boolean;
  /** Where provider packages are looked for, behind the configuration's folder: the program's own folder. */
  readonly folders?: readonly string[];
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
}

/** Where a daemon that is ready can be reached. */
export interface DaemonReady {
  /** Unix socket paths, or `HOST:PORT`. */
  readonly listening: readonly string[];
  /** Path of the control socket, where there is one. */
  readonly control?: string;
}

type State = "new" | "starting" | "ready" | "reloading" | "stopping" | "stopped";

const SETTLE_MS = 2000;

/**
 * The daemon: configuration, log, lock, engine, client protocol server and control socket, in the order in which they start; they
 * stop in the reverse one. Signals are the program's business: call {@link reload} and {@link stop}.
 */
export class Daemon implements AsyncDisposable {
  readonly #options: DaemonOptions;
  readonly #clock: Clock;
  #state: State = "new";
  #startedAt = 0;
  #reloads = 0;
  #preloadVersions = "";
  #loaded: LoadedConfig | undefined;
  #parts: Parts | undefined;
  #ready: Promise<DaemonReady> | undefined;
  #reloading: Promise<unknown> = Promise.resolve();
  #stopping: Promise<void> | undefined;

  constructor(options: DaemonOptions = {}) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  get state(): State {
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
   * Idempotent; a stop during start waits for the start to end.
   */
  stop(options: { readonly deadlineMs?: number } = {}): Promise<void> {
    this.#stopping ??= this.#stop(options.deadlineMs);
    return this.#stopping;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /** What `GET /v1/status` tells. */
  status(): StatusJson {
    const states = this.engine.endpoints().map(({ state }) => state);
    const count = (wanted: string): number => states.filter((state) => state === wanted).length;
    const control = this.#parts?.control?.path;
    return {
      name: "verbena",
      version: this.#options.version ?? "unknown",
      pid: process.pid,
      state: this.#state === "reloading" || this.#state === "stopping" ? this.#state : "ready",
      uptimeMs: Math.round(this.#clock.now() - this.#startedAt),
      listening: this.#parts?.server?.addresses.map(addressText) ?? [],
      ...(control === undefined ? {} : { control }),
      clients: this.#parts?.server?.clientCount ?? 0,
      reloads: this.#reloads,
      endpoints: { ready: count("ready"), joining: count("joining"), failed: count("failed") },
      providers: this.#parts?.composed?.providers ?? [],
      warnings: warningsOf(this.#loaded?.diagnostics ?? []),
    };
  }

  async #start(): Promise<DaemonReady> {
    this.#startedAt = this.#clock.now();
    try {
      this.#loaded = await loadConfig(this.#options.sources);
      const { config, diagnostics } = this.#loaded;
      const parts: Parts = { log: openLog(config) };
      this.#parts = parts;
      this.#logDiagnostics(diagnostics);
      parts.host = nativeHost(this.#nativeOptions(config));
      const { native } = parts.host;
      const plan = planListening(
        config.daemon,
        this.#options.systemd === true ? native.process.passedDescriptors() : undefined,
      );
      parts.lock = takeLock(native, config.daemon.lockFile);
      this.#preloadVersions = await preloadVersions(config.preload);
      parts.composed = await this.#compose(config, parts.host, parts.log);
      parts.engine = new EngineSwitch(parts.composed.engine);
      parts.server = await createAcmServer({
        listeners: [plan.listener],
        handler: createAcmHandler({ engine: parts.engine, logger: parts.log.logger }),
        clock: this.#clock,
        logger: parts.log.logger,
        limits: { closeMs: config.daemon.stopDeadlineMs, ...this.#options.limits },
        peerCredentials: (fd) => native.process.peerCredentials(fd),
      });
      parts.withdraw = plan.publish();
      const control = config.daemon.control ?? `${plan.socket}.ctl`;
      if (control !== false) {
        parts.control = await createControlServer({
          path: control,
          host: { engine: parts.engine, status: () => this.status(), reload: () => this.reload() },
          logger: parts.log.logger,
        });
      }
      this.#state = "ready";
      if (this.#options.systemd === true) native.process.notify("READY=1");
      const ready: DaemonReady = {
        listening: parts.server.addresses.map(addressText),
        ...(control === false ? {} : { control }),
      };
      if (config.daemon.serverMode === "open" && config.daemon.socket === undefined) {
        parts.log.logger.warn(
          "server_mode open: every host that reaches this one can ask, and nobody is authenticated",
        );
      }
      parts.log.notice("ready", { ...ready });
      return ready;
    } catch (error) {
      this.#parts?.log.logger.error("start failed", { error });
      await this.#close(0);
      this.#state = "stopped";
      throw error;
    }
  }

  async #compose(config: DaemonConfig, host: NativeHost, log: DaemonLog): Promise<ComposedEngine> {
    const { providers, folders, sourceSelector, settleMs = SETTLE_MS } = this.#options;
    const composed = await composeEngine({
      config,
      native: host.native,
      logger: log.logger,
      clock: this.#clock,
      sourceSelector: sourceSelector ?? (host.isSimulated ? "fabric" : "kernel"),
      ...(providers === undefined ? {} : { providers }),
      ...(folders === undefined ? {} : { folders }),
    });
    await endpointsSettled(composed.engine, this.#clock, settleMs);
    return composed;
  }

  async #reload(): Promise<ReloadJson> {
    const { parts, loaded: before } = this.#running("reload");
    this.#state = "reloading";
    this.#notify("RELOADING=1");
    try {
      const after = await loadConfig(this.#options.sources);
      this.#logDiagnostics(after.diagnostics);
      const change = compareConfigs(before.config, after.config);
      const versions = await preloadVersions(after.config.preload);
      const hasNewFiles = versions !== this.#preloadVersions;
      if (change.needsEngine || hasNewFiles) await this.#exchangeEngine(after.config, parts);
      else if (change.needsAddresses) await this.#readdress(after.config, parts);
      parts.log.reopen(logOptions(after.config));
      this.#loaded = after;
      this.#preloadVersions = versions;
      this.#reloads += 1;
      const warnings = warningsOf(after.diagnostics);
      const applied = hasNewFiles ? [...new Set([...change.applied, "preload"])] : change.applied;
      parts.log.notice("configuration reloaded", { applied });
      if (change.needRestart.length > 0) {
        parts.log.logger.warn("some changes take effect at the next start", { keys: change.needRestart });
      }
      return { applied, needRestart: change.needRestart, warnings };
    } catch (error) {
      parts.log.logger.error("reload failed, the running configuration stays", { error });
      throw error;
    } finally {
      // A stop may have begun meanwhile; TypeScript does not see that.
      if ((this.#state as State) === "reloading") this.#state = "ready";
      this.#notify("READY=1");
    }
  }

  async #readdress({ addresses }: DaemonConfig, { composed, host, log }: RunningParts): Promise<void> {
    composed.engine.setAddressFile(await addressLines(addresses, host.native, log.logger));
  }

  async #exchangeEngine(config: DaemonConfig, parts: RunningParts): Promise<void> {
    const next = await this.#compose(config, parts.host, parts.log);
    const old = parts.composed;
    parts.composed = next;
    const isIdle = parts.engine.exchange(next.engine, "reload");
    await within(this.#clock, config.daemon.stopDeadlineMs, isIdle);
    await old.close();
  }

  async #stop(deadlineMs: number | undefined): Promise<void> {
    if (this.#state === "new") {
      this.#state = "stopped";
      return;
    }
    await this.#ready?.catch(() => undefined);
    if (this.#state === "stopped") return;
    this.#state = "stopping";
    this.#notify("STOPPING=1");
    this.#parts?.log.notice("stopping");
    await this.#close(deadlineMs ?? this.#loaded?.config.daemon.stopDeadlineMs ?? 0);
    this.#state = "stopped";
  }

  /** The reverse of start. The server ends first, so that replies in work still find their engine. */
  async #close(deadlineMs: number): Promise<void> {
    const parts = this.#parts;
    if (parts === undefined) return;
    const end = this.#clock.now() + deadlineMs;
    const left = (): number => Math.max(0, end - this.#clock.now());
    parts.withdraw?.();
    if (parts.server !== undefined) {
      await within(this.#clock, left(), parts.server.close());
      parts.server.destroy();
    }
    await parts.control?.close();
    const rest = this.#closeRest(parts);
    if (!(await within(this.#clock, Math.max(left(), GRACE_MS), rest))) {
      parts.log.logger.error("not everything could be closed before the deadline");
    }
    parts.lock?.release();
    parts.log.notice("stopped");
    parts.log[Symbol.dispose]();
  }

  async #closeRest(parts: Parts): Promise<void> {
    try {
      await this.#reloading;
      await parts.composed?.close();
      if (parts.host?.isOwned === true) await parts.host.native.close();
    } catch (error) {
      parts.log.logger.error("closing failed", { error });
    }
  }

  #nativeOptions(config: DaemonConfig): NativeServices | NativeOptions {
    const given = this.#options.native ?? {};
    return "umad" in given ? given : { ...config.native, ...given };
  }

  #running(operation: string): { readonly parts: RunningParts; readonly loaded: LoadedConfig } {
    const parts = this.#parts;
    if (this.#state !== "ready" || !isRunning(parts) || this.#loaded === undefined) throw this.#stateError(operation);
    return { parts, loaded: this.#loaded };
  }

  #notify(state: string): void {
    if (this.#options.systemd === true) this.#parts?.host?.native.process.notify(state);
  }

  #logDiagnostics(diagnostics: readonly Diagnostic[]): void {
    for (const diagnostic of diagnostics) {
      const text = formatDiagnostic(diagnostic);
      if (diagnostic.severity === "note") this.#parts?.log.notice(text);
      else this.#parts?.log.logger.warn(text);
    }
  }

  #stateError(operation: string): Error {
    return coreError("VERBENA_DAEMON_STATE", { details: { state: this.#state, operation } });
  }
}

/** A stop cuts off what takes longer than this beyond its deadline. */
const GRACE_MS = 500;

/** What has been started so far. */
interface Parts {
  readonly log: DaemonLog;
  host?: NativeHost;
  lock?: FileLock;
  composed?: ComposedEngine;
  engine?: EngineSwitch;
  server?: AcmServer;
  control?: ControlServer;
  withdraw?: () => void;
}

type RunningParts = Parts & Required<Pick<Parts, "host" | "composed" | "engine" | "server">>;

function isRunning(parts: Parts | undefined): parts is RunningParts {
  return parts?.server !== undefined;
}

function openLog(config: DaemonConfig): DaemonLog {
  return new DaemonLog(logOptions(config));
}

function logOptions(config: DaemonConfig): { readonly file: string; readonly level: LogLevel } {
  return { file: config.daemon.logFile, level: config.daemon.logLevel as LogLevel };
}

function takeLock(native: NativeServices, file: string): FileLock {
  const lock = native.process.tryLockFile(file);
  if (lock === undefined) throw coreError("VERBENA_DAEMON_LOCKED", { details: { file } });
  lock.write(`${String(process.pid)}\n`);
  return lock;
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

/** True if the promise settled in time. */
async function within(clock: Clock, ms: number, promise: Promise<void>): Promise<boolean> {
  let cancel: () => void = () => undefined;
  const late = new Promise<false>((resolve) => {
    cancel = clock.schedule(ms, () => {
      resolve(false);
    });
  });
  const isDone = await Promise.race([promise.then(() => true), late]);
  cancel();
  return isDone;
}
