import type { Command } from "commander";
import type { ExitCode } from "./exit-code.js";
import type { Io } from "./io.js";

/** What a command gets beside its own arguments. */
export interface CommandHost {
  readonly io: Io;
  /** Called once, with the status the process ends with. */
  exit(code: ExitCode | number): void;
}

/** Adds a group of commands to the program. */
export type Register = (program: Command, host: CommandHost) => void;

/**
 * Makes a commander action out of a function that returns the exit status; a thrown error is reported and mapped. The function
 * loads its implementation itself, so that a command pays only for what it needs.
 */
export function action<Options extends { readonly json?: boolean }>(
  host: CommandHost,
  run: (positional: readonly string[], options: Options) => Promise<ExitCode | number>,
): (...args: unknown[]) => Promise<void> {
  return async (...args) => {
    const command = args.at(-1) as Command;
    const options = command.optsWithGlobals<Options>();
    const positional = args.slice(0, -2).flat() as string[];
    try {
      host.exit(await run(positional, options));
    } catch (error) {
      const { reportFailure } = await import("./output/fail.js");
      host.exit(reportFailure(error, host.io, options.json));
    }
  };
}
