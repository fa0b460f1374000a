import type { Command } from "commander";
import { action, type CommandHost } from "../../command.js";
import type { ServeOptions } from "./serve.js";

/** `verbena serve`. */
export function registerDaemon(program: Command, host: CommandHost): void {
  program
    .command("serve")
    .description("run the resolution daemon; prints `ready` and its socket when it answers")
    .option("-D, --background", "go to the background; returns when the socket answers")
    .option("-P, --foreground", "stay in the foreground (the default)")
    .option("-A, --addresses <file>", "address file (ibacm_addr.cfg)")
    .option("-O, --options <file>", "options file (ibacm_opts.cfg)")
    .option("--config <file>", "verbena.yaml; ibacm's files are then read only if it or -A, -O name them")
    .option("--socket <path>", "serve exactly this Unix socket")
    .option("--control <path>", "control socket (default: the Unix socket's path and .ctl)")
    .option("--rds [path]", "let other processes attach for RDS sockets (default: the Unix socket's path and .rds)")
    .option("--systemd", "take the sockets of systemd and notify it")
    .option("--fabric <dir>", "join the simulated fabric in this directory …")
    .option("--node <name>", "… as this node")
    .addHelpText("after", HELP)
    .action(
      action<ServeOptions & { readonly foreground?: boolean }>(host, async (_none, options) => {
        const { serve } = await import("./serve.js");
        return serve(options.foreground === true ? { ...options, background: false } : options, host.io);
      }),
    );
}

const HELP = `
SIGHUP reads the configuration again; with errors in it the running one stays. SIGTERM and SIGINT stop in order, a second one at once.

Examples:
  verbena serve -A /etc/rdma/ibacm_addr.cfg -O /etc/rdma/ibacm_opts.cfg
  verbena serve --rds /run/verbena-rds.sock
  verbena serve --fabric /tmp/fabric --node H1 --socket /tmp/h1.sock
`;
