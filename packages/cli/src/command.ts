import type { Command } from "commander";
import type { Io } from "./io.js";

/** What a command gets beside its own arguments. */
export interface CommandHost {
  readonly io: Io;
  /** Called once, with the status the process ends with. */
  exit(code: number): void;
}

/**
 * Makes a commander action out of a function that returns the exit status; a thrown error is reported and mapped. The function
 * loads its implementation itself, so that a command pays only for what it needs.
 */
// The caller says which options it has declared; commander itself does not know their types.
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
export function action<Options extends { readonly json?: boolean }>(
  host: CommandHost,
  run: (positional: readonly string[], options: Options) => Promise<number>,
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
