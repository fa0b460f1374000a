import { resolve } from "node:path";
import type { ConfigSources } from "@verbena/core";
import { libfabricsimPath } from "@verbena/fabric-sim";
import type { NativeOptions } from "@verbena/native";
import { cliError } from "../../errors.js";
import { EXIT, type ExitCode } from "../../exit-code.js";
import type { Io } from "../../io.js";
import { wholeNumber } from "../../numbers.js";
import { CHECKS } from "./checks/index.js";
import type { Probe } from "./probe.js";
import { renderReport } from "./render.js";
import { type DoctorClock, runChecks } from "./run-checks.js";
import { SystemProbe, type SystemProbeOptions } from "./system/system-probe.js";

export interface DoctorOptions {
  readonly socket?: string;
  readonly control?: string;
  readonly config?: string;
  readonly options?: string;
  readonly addresses?: string;
  readonly fabric?: string;
  readonly node?: string;
  readonly timeout?: string;
  readonly json?: boolean;
}

/** How long one check may take unless `--timeout` says otherwise, milliseconds. */
const DEADLINE_MS = 10_000;
/** The looks themselves give up a little earlier, so that they can say what they were waiting for. */
const PATIENCE_SHARE = 0.5;

/** Looks at this host (or a simulated node) and prints the report. Status 1 if a check failed. */
export async function doctorCommand(
  options: DoctorOptions,
  io: Io,
  host: Pick<SystemProbeOptions, "root" | "env" | "units"> = {},
): Promise<ExitCode> {
  const deadlineMs = options.timeout === undefined ? DEADLINE_MS : wholeNumber("--timeout", options.timeout);
  const fabric = simulatedNode(options, host.env ?? process.env);
  await using probe = new SystemProbe({
    ...host,
    ...(options.socket === undefined ? {} : { socket: resolve(options.socket) }),
    ...(options.control === undefined ? {} : { control: resolve(options.control) }),
    ...(fabric === undefined ? {} : { fabric }),
    sources: sourcesOf(options, fabric !== undefined),
    native: nativeOf(options),
    patienceMs: deadlineMs * PATIENCE_SHARE,
  });
  const report = await runChecks(CHECKS, probe, processClock, deadlineMs);
  io.out(options.json === true ? `${JSON.stringify(report)}\n` : renderReport(report));
  return report.verdict === "fail" ? EXIT.FAILED : EXIT.OK;
}

function sourcesOf({ config, options, addresses }: DoctorOptions, isSimulated: boolean): ConfigSources {
  return {
    ...(config === undefined ? {} : { config: resolve(config) }),
    ...(options === undefined ? {} : { options: resolve(options) }),
    ...(addresses === undefined ? {} : { addresses: resolve(addresses) }),
    // As for `serve`: what this host's /etc/rdma says is not meant for a simulated node.
    ...(isSimulated ? { ignoreDefaults: true } : {}),
  };
}

/** The simulated node that is meant: by options, or by the environment of `sim exec`. */
function simulatedNode({ fabric, node }: DoctorOptions, env: NodeJS.ProcessEnv): Probe["fabric"] {
  if ((fabric === undefined) !== (node === undefined)) {
    throw cliError("VERBENA_CLI_USAGE_ARGUMENT", { details: { what: "--fabric and --node belong together" } });
  }
  if (fabric !== undefined && node !== undefined) return { dir: resolve(fabric), node };
  const dir = env["FABRICSIM_DIR"] ?? "";
  return dir === "" ? undefined : { dir, node: env["FABRICSIM_NODE"] ?? "" };
}

function nativeOf({ fabric, node }: DoctorOptions): NativeOptions {
  if (fabric === undefined || node === undefined) return {};
  return { fabric: { dir: resolve(fabric), node, library: libfabricsimPath() } };
}

const processClock: DoctorClock = {
  now: () => performance.now(),
  schedule: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => {
      clearTimeout(timer);
    };
  },
};
