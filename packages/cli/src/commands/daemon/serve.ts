import { resolve } from "node:path";
import { type ConfigInput, Daemon, type DaemonOptions, type DaemonReady, scaledClock } from "@verbena/core";
import type { Clock } from "@verbena/core/sdk";
import { fabricTimeScale, libfabricsimPath } from "@verbena/fabric-sim";
import { VerbenaError } from "@verbena/ib";
import { cliError } from "../../errors.js";
import { EXIT, type ExitCode } from "../../exit-code.js";
import type { Io } from "../../io.js";
import { packageFolder } from "../../package-folder.js";
import { onEachSignal, untilSignal } from "../../signals.js";
import { version } from "../../version.js";
import { background, tellParent } from "./background.js";
import { hostRds } from "./host-rds.js";

export interface ServeOptions {
  /** `-D`: go to the background. */
  readonly background?: boolean;
  readonly addresses?: string;
  readonly options?: string;
  readonly systemd?: boolean;
  readonly config?: string;
  readonly socket?: string;
  readonly control?: string;
  readonly fabric?: string;
  readonly node?: string;
  /** `--rds`, or with the path at which processes attach. */
  readonly rds?: boolean | string;
  readonly json?: boolean;
}

/** By name, so that they come from this program, wherever the daemon is started, and into its bundle. */
const DEFAULT_PROVIDERS = {
  "@verbena/provider-acm": () => import("@verbena/provider-acm"),
  "@verbena/provider-sa": () => import("@verbena/provider-sa"),
};

/** Runs the daemon until a signal ends it, or starts it in the background and returns when it answers. */
export async function serve(options: ServeOptions, io: Io): Promise<ExitCode> {
  const absolute = withAbsolutePaths(options);
  const daemon = daemonOptions(absolute);
  await checkFabric(absolute);
  // systemd wants the process it has started itself.
  return options.background === true && options.systemd !== true
    ? background(absolute, io)
    : run(new Daemon(daemon), absolute, io);
}

async function run(daemon: Daemon, options: ServeOptions, io: Io): Promise<ExitCode> {
  // Before start: a stop asked for meanwhile is obeyed when the start has come to its end.
  const ended = untilSignal(["SIGINT", "SIGTERM"]);
  const ignoreHangup = onEachSignal("SIGHUP", () => {
    // The daemon logs what came of it, and goes on with what it has.
    daemon.reload().catch(() => undefined);
  });
  try {
    const ready = await daemon.start();
    announce(ready, options, io);
    tellParent({ ready });
    await ended;
    await daemon.stop();
    return EXIT.OK;
  } catch (error) {
    tellParent({ error });
    throw error;
  } finally {
    ignoreHangup();
  }
}

function announce(ready: DaemonReady, { json }: ServeOptions, io: Io): void {
  io.out(json === true ? `${JSON.stringify({ ready: true, ...ready })}\n` : `ready ${ready.listening.join(" ")}\n`);
}

function daemonOptions(options: ServeOptions): DaemonOptions {
  return {
    sources: {
      ...(options.config === undefined ? {} : { config: options.config }),
      ...(options.options === undefined ? {} : { options: options.options }),
      ...(options.addresses === undefined ? {} : { addresses: options.addresses }),
      overrides: overrides(options),
      origin: "command line",
      // What this host's /etc/rdma says is not meant for a simulated node, and its names must not be written there.
      ...(options.fabric === undefined ? {} : { ignoreDefaults: true }),
    },
    ...simulated(options),
    systemd: options.systemd === true,
    folders: [DEFAULT_PROVIDERS, packageFolder()],
    version: version(),
    rds: hostRds,
  };
}

function overrides({ socket, control, rds }: ServeOptions): ConfigInput {
  const daemon = { ...(socket === undefined ? {} : { socket }), ...(control === undefined ? {} : { control }) };
  const attach = typeof rds === "string" ? { path: rds } : {};
  return {
    ...(Object.keys(daemon).length === 0 ? {} : { daemon }),
    ...(rds === undefined || rds === false ? {} : { rds: { attach } }),
  };
}

function simulated({ fabric, node }: ServeOptions): Pick<DaemonOptions, "native" | "clock"> {
  // `sim exec` names the fabric in the environment.
  const joined = process.env["FABRICSIM_DIR"] ?? "";
  if (fabric === undefined && node === undefined) return joined === "" ? {} : { clock: clockOf(joined) };
  if (fabric === undefined || node === undefined) {
    throw cliError("VERBENA_CLI_USAGE_ARGUMENT", { details: { what: "--fabric and --node belong together" } });
  }
  return { native: { fabric: { dir: fabric, node, library: libfabricsimPath() } }, clock: clockOf(fabric) };
}

/** Runs as fast as the fabric's. */
function clockOf(fabric: string): Clock {
  return scaledClock(fabricTimeScale(fabric));
}

/** A wrong node will never be right; a fabric that does not run yet is waited for, as hardware is. */
async function checkFabric({ fabric, node }: ServeOptions): Promise<void> {
  if (fabric === undefined || node === undefined) return;
  const { checkNode } = await import("../sim/check-node.js");
  try {
    await checkNode({ dir: fabric, node });
  } catch (error) {
    if (!VerbenaError.is(error, "VERBENA_SIM_CONTROL_CONNECT")) throw error;
  }
}

/** Relative paths count from where the command was given, also after the daemon has changed its directory. */
function withAbsolutePaths(options: ServeOptions): ServeOptions {
  const anchored = (["addresses", "options", "config", "socket", "control", "fabric", "rds"] as const).flatMap(
    (key) => {
      const path = options[key];
      return typeof path !== "string" ? [] : [[key, resolve(path)] as const];
    },
  );
  return { ...options, ...Object.fromEntries(anchored) };
}
