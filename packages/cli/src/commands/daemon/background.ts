import { spawn } from "node:child_process";
import { closeSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { DaemonReady } from "@verbena/core";
import { VerbenaError } from "@verbena/ib";
import { cliError } from "../../errors.js";
import { EXIT, type ExitCode } from "../../exit-code.js";
import type { Io } from "../../io.js";
import { internal } from "../../output/fail.js";
import { programPath } from "../../process/program-path.js";
import type { ServeOptions } from "./serve.js";

/** Names the descriptor on which the daemon tells the command that started it how the start went. */
const READY_FD = "VERBENA_READY_FD";

/** What the daemon tells, one line of JSON. */
type StartReport =
  | { readonly ready: DaemonReady }
  | { readonly error: { readonly code: string; readonly message: string; readonly hint?: string } };

/**
 * Starts the daemon in a session of its own, in `/`, without this terminal, and returns when its socket answers or its start has
 * failed. Whoever asked for it can rely on it from then on.
 */
export async function background(options: ServeOptions, io: Io): Promise<ExitCode> {
  const child = spawn(process.execPath, [programPath(), "serve", ...serveArguments(options)], {
    detached: true,
    cwd: "/",
    stdio: ["ignore", "ignore", "ignore", "pipe"],
    env: { ...process.env, [READY_FD]: "3" },
  });
  child.unref();
  const report = await firstLine(child.stdio[3] as Readable);
  if (report === undefined) throw cliError("VERBENA_CLI_BACKGROUND");
  if ("error" in report) throw new VerbenaError(report.error.code, report.error.message, { hint: report.error.hint });
  const { listening } = report.ready;
  io.out(
    options.json === true
      ? `${JSON.stringify({ ready: true, pid: child.pid, ...report.ready })}\n`
      : `ready ${listening.join(" ")} (process ${String(child.pid)})\n`,
  );
  return EXIT.OK;
}

/** In the daemon: reports the outcome of the start to the command that waits for it, if one does. */
export function tellParent(outcome: { readonly ready: DaemonReady } | { readonly error: unknown }): void {
  const fd = Number(process.env[READY_FD] ?? "");
  if (!Number.isInteger(fd) || fd < 3) return;
  // What the daemon starts in its turn must not write there.
  process.env[READY_FD] = "";
  const report = "ready" in outcome ? outcome : { error: describe(outcome.error) };
  try {
    writeSync(fd, `${JSON.stringify(report)}\n`);
    closeSync(fd);
  } catch {
    // The command that started us has gone; the daemon runs on.
  }
}

function describe(error: unknown): { readonly code: string; readonly message: string; readonly hint?: string } {
  const { code, message, hint } = VerbenaError.is(error) ? error : internal(error);
  return { code, message, ...(hint === undefined ? {} : { hint }) };
}

async function firstLine(pipe: Readable): Promise<StartReport | undefined> {
  for await (const line of createInterface({ input: pipe })) {
    pipe.destroy();
    return JSON.parse(line) as StartReport;
  }
  return undefined;
}

function serveArguments(options: ServeOptions): readonly string[] {
  const valued = {
    "-A": options.addresses,
    "-O": options.options,
    "--config": options.config,
    "--socket": options.socket,
    "--control": options.control,
    "--fabric": options.fabric,
    "--node": options.node,
  };
  const rds = typeof options.rds === "string" ? [`--rds=${options.rds}`] : options.rds === true ? ["--rds"] : [];
  return [...Object.entries(valued).flatMap(([flag, value]) => (value === undefined ? [] : [flag, value])), ...rds];
}
