import { setImmediate } from "node:timers/promises";
import type { FileLock, NativeOptions, NativeServices } from "@verbena/native";
import { createAcmHandler } from "../acm/acm-handler.js";
import { AcmEdgeCounters } from "../acm/edge-counters.js";
import type { DaemonConfig } from "../config/daemon-config.js";
import { type ControlServer, createControlServer } from "../control/control-server.js";
import type { ControlHost } from "../control/routes.js";
import { type ComposedEngine, composeEngine } from "../embed/compose-engine.js";
import { type NativeHost, nativeHost } from "../embed/native-host.js";
import { endpointsSettled } from "../embed/settled.js";
import { Accounts } from "../engine/accounts.js";
import { coreError } from "../errors.js";
import { createFrontServer, KeptReplies } from "../front/index.js";
import { systemRandom } from "../host/default-services.js";
import type { Clock, Logger } from "../sdk/services.js";
import { type AcmServer, createAcmServer } from "../server/acm-server.js";
import { EngineSwitch } from "./engine-switch.js";
import { type KernelLink, openKernelLink } from "./kernel-link.js";
import { type ListeningPlan, planListening } from "./listening.js";
import { DaemonLog, type LogLevel } from "./log.js";
import type { DaemonOptions } from "./options.js";
import { RdsLink } from "./rds-link.js";
import { within } from "./within.js";

/** What a daemon is made of, in the order in which it starts. What is not there has not been started. */
export interface Parts {
  host?: NativeHost;
  lock?: FileLock;
  log?: DaemonLog;
  /** Every engine counts there. */
  accounts?: Accounts;
  composed?: ComposedEngine;
  engine?: EngineSwitch;
  /** Where the native front end serves: what it answers by itself. */
  kept?: KeptReplies;
  server?: AcmServer;
  kernel?: KernelLink;
  /** Takes back the names in the run directory. */
  withdraw?: () => void;
  control?: ControlServer;
  /** Hosts RDS sockets of other processes, where that is asked for. */
  rds?: RdsLink;
}

/** All parts of a running daemon; the control socket, the front end's replies and RDS are optional. */
export type RunningParts = Parts & Required<Omit<Parts, "control" | "kept" | "rds">>;

/** A stop cuts off what takes longer than this beyond its deadline, milliseconds. */
const GRACE_MS = 500;
/** How long a start waits for endpoints that are joining, milliseconds. */
const SETTLE_MS = 2000;

/** Log options of a configuration. */
export function logOptions(config: DaemonConfig): { readonly file: string; readonly level: LogLevel } {
  return { file: config.daemon.logFile, level: config.daemon.logLevel as LogLevel };
}

/**
 * Native services, lock and log. The lock comes before the log, so that a second instance does not empty the log of the first.
 * Fills `parts` as it goes, for the caller to close after a failure.
 */
export function openBase(config: DaemonConfig, given: NativeServices | NativeOptions, parts: Parts): DaemonLog {
  parts.host = nativeHost("umad" in given ? given : { ...config.native, ...given });
  parts.lock = takeLock(parts.host.native, config.daemon.lockFile);
  parts.log = new DaemonLog(logOptions(config));
  setUmadDebug(parts.host.native, config.daemon.umadDebugLevel, parts.log.logger);
  return parts.log;
}

/** Engine, server, names and control socket. Fills `parts` as it goes. */
export async function openService(
  config: DaemonConfig,
  options: DaemonOptions,
  clock: Clock,
  control: Omit<ControlHost, "engine">,
  parts: Parts & Required<Pick<Parts, "host" | "log">>,
): Promise<void> {
  const { native } = parts.host;
  const { logger } = parts.log;
  const passed = options.systemd === true ? native.process.passedDescriptors() : undefined;
  const plan = planListening(config.daemon, passed);
  const path = controlPath(config, plan);
  const accounts = new Accounts(systemRandom);
  parts.accounts = accounts;
  const edge = new AcmEdgeCounters();
  // Where the addon offers no front end the server in TypeScript does the same, a little slower.
  const front =
    native.openFrontEnd === undefined
      ? undefined
      : {
          openFrontEnd: native.openFrontEnd.bind(native),
          io: config.daemon.clientIo,
          kept: new KeptReplies({ clock, accounts, edge }),
        };
  if (front !== undefined) parts.kept = front.kept;
  parts.composed = await composeDaemonEngine(config, options, clock, { ...parts, accounts });
  parts.engine = new EngineSwitch(parts.composed.engine, () => front?.kept.clear());
  const common = {
    listeners: [plan.listener],
    handler: createAcmHandler({
      engine: parts.engine,
      edge,
      logger,
      ...(front === undefined ? {} : { keeper: front.kept }),
    }),
    clock,
    logger,
    limits: { closeMs: config.daemon.stopDeadlineMs, ...options.limits },
  };
  parts.server =
    front === undefined
      ? await createAcmServer({ ...common, peerCredentials: (fd) => native.process.peerCredentials(fd) })
      : await createFrontServer({ ...common, ...front });
  parts.withdraw = plan.publish();
  // Clients that wait already have their answers before the rest is loaded.
  await setImmediate();
  parts.kernel = openKernelLink(config.daemon, { host: parts.host, engine: parts.engine, edge, clock, logger, passed });
  const rds = await RdsLink.open({
    config,
    defaultPath: `${plan.socket}.rds`,
    host: parts.host,
    clock,
    logger,
    folders: options.folders ?? [],
    hosting: options.rds,
  });
  if (rds !== undefined) parts.rds = rds;
  if (path === undefined) return;
  parts.control = await createControlServer({
    path,
    host: { engine: parts.engine, status: () => control.status(), reload: () => control.reload() },
    logger,
  });
}

/** An engine as the daemon's options want it, its endpoints up or known to need longer. */
export async function composeDaemonEngine(
  config: DaemonConfig,
  options: DaemonOptions,
  clock: Clock,
  { host, log: { logger }, accounts, kept }: Required<Pick<Parts, "host" | "log" | "accounts">> & Pick<Parts, "kept">,
): Promise<ComposedEngine> {
  const { providers, folders, sourceSelector, settleMs = SETTLE_MS } = options;
  const composed = await composeEngine({
    config,
    native: host.native,
    logger,
    clock,
    accounts,
    ...(kept === undefined ? {} : { onLost: kept.lost }),
    sourceSelector: sourceSelector ?? (host.isSimulated ? "fabric" : "kernel"),
    ...(providers === undefined ? {} : { providers }),
    ...(folders === undefined ? {} : { folders }),
  });
  await endpointsSettled(composed.engine, clock, settleMs);
  if (composed.engine.endpoints().length === 0) {
    const { addon, verbs, umad } = host.native.availability();
    logger.warn("no active InfiniBand port: nothing can be resolved until there is one", { addon, verbs, umad });
  }
  return composed;
}

/**
 * Closes what there is, in the reverse order of the start; the server goes first, so that replies in work still find their engine.
 * What is not done at the deadline is cut off. `busy` is waited for before the engine goes.
 */
export async function closeParts(
  parts: Parts,
  clock: Clock,
  deadlineMs: number,
  busy: Promise<unknown>,
): Promise<void> {
  const end = clock.now() + deadlineMs;
  const left = (): number => Math.max(0, end - clock.now());
  parts.withdraw?.();
  if (parts.server !== undefined) {
    await within(clock, left(), parts.server.close());
    parts.server.destroy();
  }
  await parts.kernel?.close();
  await parts.control?.close();
  await parts.rds?.close();
  const isDone = await within(clock, Math.max(left(), GRACE_MS), closeEngine(parts, busy));
  if (!isDone) parts.log?.logger.error("not everything could be closed before the deadline");
  parts.lock?.release();
  parts.log?.notice("stopped");
  parts.log?.[Symbol.dispose]();
  if (parts.log !== undefined && !(await within(clock, GRACE_MS, parts.log.flushed()))) parts.log.abandon();
}

async function closeEngine(parts: Parts, busy: Promise<unknown>): Promise<void> {
  try {
    await busy;
    await parts.composed?.close();
    if (parts.host?.isOwned === true) await parts.host.native.close();
  } catch (error) {
    parts.log?.logger.error("closing failed", { error });
  }
}

function setUmadDebug(native: NativeServices, level: number, logger: Logger): void {
  if (level === 0) return;
  try {
    native.umad.setDebugLevel(level);
  } catch (error) {
    logger.warn("umad_debug_level cannot be set", { error });
  }
}

/** Throws VERBENA_SERVER_LISTEN for the client socket's own path: the second to be bound would silently take it from the first. */
function controlPath(config: DaemonConfig, plan: ListeningPlan): string | undefined {
  const { control } = config.daemon;
  if (control === plan.socket) {
    throw coreError("VERBENA_SERVER_LISTEN", { details: { where: control, reason: "it is the client socket's path" } });
  }
  return control === false ? undefined : (control ?? `${plan.socket}.ctl`);
}

function takeLock(native: NativeServices, file: string): FileLock {
  const lock = native.process.tryLockFile(file);
  if (lock === undefined) throw coreError("VERBENA_DAEMON_LOCKED", { details: { file } });
  lock.write(`${String(process.pid)}\n`);
  return lock;
}
