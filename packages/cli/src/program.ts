import { Command, CommanderError } from "commander";
import type { CommandHost } from "./command.js";
import { registerAcme } from "./commands/acme/register.js";
import { registerClient } from "./commands/client/register.js";
import { registerDaemon } from "./commands/daemon/register.js";
import { registerDemo } from "./commands/demo/register.js";
import { registerSim } from "./commands/sim/register.js";
import { EXIT } from "./exit-code.js";
import { version } from "./version.js";

/** The whole command tree. Only texts and options live here; a command loads its implementation when it runs. */
export function createProgram(host: CommandHost): Command {
  const program = new Command("verbena")
    .description("Resolves names and addresses to InfiniBand paths.")
    .version(version())
    .showSuggestionAfterError()
    .showHelpAfterError("(run with --help for usage)")
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ writeOut: host.io.out, writeErr: host.io.err });
  registerDaemon(program, host);
  registerClient(program, host);
  registerAcme(program);
  registerSim(program, host);
  registerDemo(program, host);
  offerJson(program);
  return program;
}

/** Every command that does something can answer in JSON. */
function offerJson(command: Command): void {
  if (command.name() === "acme") return;
  if (command.commands.length === 0) command.option("--json", "print JSON instead of text");
  for (const child of command.commands) offerJson(child);
}

/** Parses and runs one command line (without the two leading words). */
export async function runProgram(argv: readonly string[], host: CommandHost): Promise<void> {
  try {
    await createProgram(host).parseAsync(argv, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    host.exit(error.exitCode === 0 ? EXIT.OK : EXIT.USAGE);
  }
}
