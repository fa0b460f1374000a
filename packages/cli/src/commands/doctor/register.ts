import type { Command } from "commander";
import { action, type CommandHost } from "../../command.js";
import type { DoctorOptions } from "./doctor.js";

/** `verbena doctor`. */
export function registerDoctor(program: Command, host: CommandHost): void {
  program
    .command("doctor")
    .description("look at this host: what works, what does not, and what to do about it")
    .option("--socket <path>", "the daemon's socket (default: the configuration's)")
    .option("--control <path>", "its control socket (default: the socket's path and .ctl)")
    .option("--config <file>", "verbena.yaml, as for serve")
    .option("-O, --options <file>", "options file (ibacm_opts.cfg)")
    .option("-A, --addresses <file>", "address file (ibacm_addr.cfg)")
    .option("--fabric <dir>", "look at the simulated fabric in this directory …")
    .option("--node <name>", "… as this node")
    .option("--timeout <ms>", "how long one check may take (default: 10000)")
    .addHelpText("after", HELP)
    .action(
      action<DoctorOptions>(host, async (_none, options) => {
        const { doctorCommand } = await import("./doctor.js");
        return doctorCommand(options, host.io);
      }),
    );
}

const HELP = `
Ends with 0 if nothing failed, warnings or not, and with 1 if a check failed. Nothing is changed.

Examples:
  verbena doctor
  verbena doctor --json | jq '.checks[] | select(.verdict == "fail")'
  verbena doctor --fabric /tmp/fabric --node H1 --socket /tmp/h1.sock
`;
