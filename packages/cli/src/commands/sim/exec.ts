import { spawn } from "node:child_process";
import { constants } from "node:os";
import { resolve } from "node:path";
import { libfabricsimPath } from "@verbena/fabric-sim";
import { cliError } from "../../errors.js";
import { checkNode } from "./check-node.js";

export interface ExecOptions {
  readonly dir: string;
  readonly node: string;
  readonly json?: boolean;
}

/** Runs a program on a simulated node; returns its exit status, or 128 + N when signal N ended it. */
export async function execOnNode(command: readonly string[], options: ExecOptions): Promise<number> {
  const [program, ...args] = command;
  if (program === undefined) throw cliError("VERBENA_CLI_USAGE_ARGUMENT", { details: { what: "no command given" } });
  await checkNode(options);
  const child = spawn(program, args, { stdio: "inherit", env: nodeEnvironment(options) });
  const forward = (signal: NodeJS.Signals): void => {
    child.kill(signal);
  };
  // Ctrl-C reaches the program without us: a terminal signals all processes in its foreground.
  const onInterrupt = process.stdin.isTTY ? (): void => undefined : forward;
  process.on("SIGINT", onInterrupt);
  process.on("SIGTERM", forward);
  process.on("SIGHUP", forward);
  try {
    return await new Promise<number>((settle, reject) => {
      child.once("error", (cause: NodeJS.ErrnoException) => {
        reject(cliError("VERBENA_CLI_EXEC", { details: { program, reason: cause.message }, cause }));
      });
      child.once("exit", (code, signal) => {
        settle(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
      });
    });
  } finally {
    process.off("SIGINT", onInterrupt);
    process.off("SIGTERM", forward);
    process.off("SIGHUP", forward);
  }
}

/** What makes a process a program of that node: for C programs the preload, for our addon the directory and the library's path. */
export function nodeEnvironment(options: { readonly dir: string; readonly node: string }): NodeJS.ProcessEnv {
  const library = libfabricsimPath();
  const preload = process.env["LD_PRELOAD"];
  return {
    ...process.env,
    FABRICSIM_DIR: resolve(options.dir),
    FABRICSIM_NODE: options.node,
    VERBENA_LIBFABRICSIM: library,
    LD_PRELOAD: preload === undefined || preload === "" ? library : `${library}:${preload}`,
  };
}
