import type { Command } from "commander";
import { action, type CommandHost } from "../../command.js";
import type { ConvertOptions } from "./convert.js";
import type { ConfigOptions } from "./sources.js";

/** `verbena config …`. */
export function registerConfig(program: Command, host: CommandHost): void {
  const config = program.command("config").description("check, show and convert configurations");
  files(config.command("check"))
    .description("read the configuration as serve would, and print what is wrong with it")
    .addHelpText("after", "\nExample:\n  verbena config check -O /etc/rdma/ibacm_opts.cfg\n")
    .action(
      action<ConfigOptions>(host, async (_none, options) => {
        const { checkConfig } = await import("./check.js");
        return checkConfig(options, host.io);
      }),
    );
  files(config.command("show"))
    .description("print every key with the value in force and where it comes from")
    .addHelpText("after", "\nExample:\n  verbena config show --config /etc/rdma/verbena.yaml | grep -v default\n")
    .action(
      action<ConfigOptions>(host, async (_none, options) => {
        const { showConfig } = await import("./show.js");
        return showConfig(options, host.io);
      }),
    );
  config
    .command("convert")
    .description("make a verbena.yaml of ibacm's files")
    .option("--opts <file>", "options file (default: /etc/rdma/ibacm_opts.cfg)")
    .option("--addr <file>", "address file (default: /etc/rdma/ibacm_addr.cfg)")
    .option("--out <file>", "write there instead of to standard output")
    .option("--force", "replace a file that is there")
    .addHelpText("after", "\nExample:\n  verbena config convert --out /etc/rdma/verbena.yaml\n")
    .action(
      action<ConvertOptions>(host, async (_none, options) => {
        const { convertFiles } = await import("./convert.js");
        return convertFiles(options, host.io);
      }),
    );
}

function files(command: Command): Command {
  return command
    .option("--config <file>", "verbena.yaml; ibacm's files are then read only if it or -A, -O name them")
    .option("-O, --options <file>", "options file (ibacm_opts.cfg)")
    .option("-A, --addresses <file>", "address file (ibacm_addr.cfg)");
}
