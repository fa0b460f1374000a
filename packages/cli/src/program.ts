import { Command, CommanderError } from "commander";
import type { CommandHost } from "./command.js";
import { registerAcme } from "./commands/acme/register.js";
import { registerClient } from "./commands/client/register.js";
import { registerConfig } from "./commands/config/register.js";
import { registerDaemon } from "./commands/daemon/register.js";
import { registerDemo } from "./commands/demo/register.js";
import { registerDoctor } from "./commands/doctor/register.js";
import { registerMulticast } from "./commands/multicast/register.js";
import { registerRds } from "./commands/rds/register.js";
import { registerSim } from "./commands/sim/register.js";
import { EXIT } from "./exit-code.js";
import type { Io } from "./io.js";
import { version } from "./version.js";

/** Which part of the tree a first word belongs to. */
const PART_OF: ReadonlyMap<string, (program: Command, host: CommandHost) => void> = new Map([
  ["serve", registerDaemon],
  ...["resolve", "explain", "endpoints", "stats", "cache"].map((word) => [word, registerClient] as const),
  ["multicast", registerMulticast],
  ["rds", registerRds],
  ["doctor", registerDoctor],
  ["config", registerConfig],
  ["acme", registerAcme],
  ["sim", registerSim],
  ["demo", registerDemo],
]);

/**
 * The whole command tree, or the part of it that a command line's first `word` belongs to. Only texts and options live here; a command
 * loads its implementation when it runs.
 */
export function createProgram(host: CommandHost, json = false, word = ""): Command {
  const program = new Command("verbena")
    .description("Resolves names and addresses to InfiniBand paths.")
    .version(json ? JSON.stringify({ version: version() }) : version())
    .showSuggestionAfterError()
    .showHelpAfterError("(run with --help for usage)")
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ writeOut: host.io.out, writeErr: json ? () => undefined : host.io.err });
  const part = PART_OF.get(word);
  for (const register of part === undefined ? new Set(PART_OF.values()) : [part]) register(program, host);
  offerJson(program);
  return program;
}

/** Every command that does something can answer in JSON; `sim ctl` does, and has commands below it as well. */
function offerJson(command: Command): void {
  if (command.name() === "acme") return;
  if (command.commands.length === 0 || command.registeredArguments.length > 0)
    command.option("--json", "print JSON instead of text");
  for (const child of command.commands) offerJson(child);
}

/** Parses and runs one command line (without the two leading words). */
export async function runProgram(argv: readonly string[], host: CommandHost): Promise<void> {
  const json = wantsJson(argv);
  // The help and the version print only texts of this program; they need not wait for what shows the texts of others.
  let io = host.io;
  const shown: Io = {
    out: (text) => {
      io.out(text);
    },
    err: (text) => {
      io.err(text);
    },
  };
  const program = createProgram({ ...host, io: shown, exit: host.exit.bind(host) }, json, argv[0]).hook(
    "preAction",
    async () => {
      const { printableIo } = await import("./output/printable-io.js");
      io = printableIo(host.io);
    },
  );
  try {
    await program.parseAsync(argv, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    host.exit(error.exitCode === 0 ? EXIT.OK : await reportUsage(error, json, host));
  }
}

/** The parser has said in words what is wrong; in JSON it is said here. */
async function reportUsage({ message }: CommanderError, json: boolean, { io }: CommandHost): Promise<number> {
  if (!json) return EXIT.USAGE;
  const { reportFailure } = await import("./output/fail.js");
  const { cliError } = await import("./errors.js");
  const what = message.replace(/^error: /, "");
  return reportFailure(cliError("VERBENA_CLI_USAGE_ARGUMENT", { details: { what } }), io, true);
}

/** Who asks for JSON gets it for a wrong command line, too. What is behind `--` belongs to another program. */
function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return (end === -1 ? argv : argv.slice(0, end)).includes("--json");
}
