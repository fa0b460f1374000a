import { type Command, Option } from "commander";
import { action, type CommandHost } from "../../command.js";
import type { CatOptions } from "./cat.js";
import { DEFAULT_ATTACH_PATH } from "./default-path.js";
import type { InfoOptions } from "./info.js";
import type { PingOptions } from "./ping.js";
import { registerStress } from "./stress/register.js";

/** `verbena rds`. */
export function registerRds(program: Command, host: CommandHost): void {
  const rds = program.command("rds").description("reliable datagram sockets (RDS): ping, look, send and receive");
  carried(rds.command("ping"))
    .description("measure the round trip to a host, as rds-ping does")
    .argument("<destination>", "IP address")
    .option("-c, --count <n>", "end after so many answers")
    .option("-i, --interval <time>", "between pings: seconds, or with ms, msec, us or usec (default: 1)")
    .addOption(new Option("-Q, --tos <n>").hideHelp())
    .option("-I, --source <address>", "source address (default: by this host's routing)")
    .option("--for <time>", "end after so long: 250ms, 5s, 2m, …")
    .addHelpText("after", PING_HELP)
    .action(
      action<PingOptions>(host, async ([destination = ""], options) => {
        const { pingRds } = await import("./ping.js");
        return pingRds(destination, options, host.io);
      }),
    );
  registerStress(carried(rds.command("stress")), host);
  rds
    .command("info")
    .description("what the kernel's RDS shows of itself, as rds-info does; without a choice everything")
    .option("-c, --counters", "counters")
    .option("-k, --sockets", "sockets")
    .option("-n, --connections", "connections; flags: s sending, c connecting, C connected")
    .option("-r, --receive-queues", "messages nobody has read yet")
    .option("-s, --send-queues", "messages not sent yet")
    .option("-t, --retransmit-queues", "messages sent and not acknowledged yet")
    .option("-T, --tcp", "TCP connections")
    .addHelpText("after", "\nExamples:\n  verbena rds info -n\n  verbena rds info --json | jq .connections\n")
    .action(
      action<InfoOptions>(host, async (_none, options) => {
        const { infoRds } = await import("./info.js");
        return infoRds(options, host.io);
      }),
    );
  carried(rds.command("cat"))
    .description("a line of standard input is a datagram, a datagram that comes a line of standard output")
    .requiredOption("--bind <address:port>", "own address and port; port 0 takes a free one")
    .option("--to <address:port>", "where to send; without it nothing is sent")
    .option("--count <n>", "end only after so many datagrams have come")
    .addHelpText("after", CAT_HELP)
    .action(
      action<CatOptions>(host, async (_none, options) => {
        const { catRds } = await import("./cat.js");
        return catRds(options, process.stdin, host.io);
      }),
    );
}

/** Options of all that send and receive. */
function carried(command: Command): Command {
  return command
    .addOption(
      new Option("--transport <name>", "the only transport to use (default: loop, else kernel)").choices([
        "loop",
        "tcp",
        "verbs",
        "kernel",
        "attach",
      ]),
    )
    .option("--tcp-port <n>", "with --transport tcp: port listened on and connected to (default: 16385)")
    .option("--attach-path <path>", "with --transport attach: where the daemon's RDS answers (default: see below)");
}

const ATTACH_HELP = `
With --transport attach the sockets are those of a daemon (\`verbena serve --rds\`), which many processes can share; it answers at the path of
its Unix socket and .rds, ${DEFAULT_ATTACH_PATH} where nothing else is configured.`;

const PING_HELP = `${ATTACH_HELP}
Ends with 0 if at least one answer has come.

Examples:
  verbena rds ping 10.0.0.2 -c 3
  verbena rds ping 10.0.0.2 --transport tcp -i 10ms --for 5s
`;

const CAT_HELP = `${ATTACH_HELP}
With --to it ends when the input has ended and everything has been acknowledged; without it, at a signal.

Examples:
  verbena rds cat --bind 127.0.0.1:4000
  verbena rds cat --bind 10.0.0.1:4000 --transport attach
  seq 3 | verbena rds cat --bind 10.0.0.1:0 --to 10.0.0.2:4000 --transport tcp
`;
