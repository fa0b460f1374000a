import type { Command } from "commander";
import { action, type CommandHost } from "../../command.js";
import { asked } from "../client/asked.js";
import type { CheckOptions } from "./check.js";
import type { WatchOptions } from "./watch.js";

/** `verbena multicast`. */
export function registerMulticast(program: Command, host: CommandHost): void {
  const multicast = program.command("multicast").description("look at names and addresses by multicast");
  asked(multicast.command("watch"))
    .description("show the protocol live: who asks for whom, who answers, in which group")
    .option("--endpoint <key>", "only this endpoint: its key, as `endpoints` shows it")
    .option("--type <type...>", "only such messages: request, response, announcement, dropped, duplicate")
    .option("--count <n>", "end after so many lines")
    .option("--for <time>", "end after so long: 250ms, 5s, 2m, …")
    .addHelpText(
      "after",
      "\nExamples:\n  verbena multicast watch --for 10s\n  verbena multicast watch --endpoint mlx5_0/1/0xffff --json\n  verbena multicast watch --type dropped duplicate\n",
    )
    .action(
      action<WatchOptions>(host, async (_none, options) => {
        const { watchMulticast } = await import("./watch.js");
        return watchMulticast(options, host.io);
      }),
    );
  asked(multicast.command("check"))
    .description("compare the paths that multicast groups would give with the subnet administrator's")
    .argument("[destination...]", "as for resolve (default: the hosts the daemon has found)")
    .option("-s, --source <address>", "source name or address (default: chosen by the daemon)")
    .option("--timeout <ms>", "give up on a destination after so many milliseconds")
    .addHelpText("after", CHECK_HELP)
    .action(
      action<CheckOptions>(host, async (destinations, options) => {
        const { checkMulticast } = await import("./check.js");
        return checkMulticast(destinations, options, host.io);
      }),
    );
}

const CHECK_HELP = `
Ends with 0 if route_prot acm may be used for all of them, and with 1 if it may not, or if one cannot be found.

Examples:
  verbena multicast check node12 node13
  verbena multicast check --json | jq '.checks[] | select(.isUsable | not)'
`;
