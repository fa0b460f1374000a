import type { Command } from "commander";
import { action, type CommandHost } from "../../command.js";
import { asked } from "../client/asked.js";
import type { WatchOptions } from "./watch.js";

/** `verbena multicast`. */
export function registerMulticast(program: Command, host: CommandHost): void {
  const multicast = program.command("multicast").description("look at names and addresses by multicast");
  asked(multicast.command("watch"))
    .description("show the protocol live: who asks for whom, who answers, in which group")
    .option("--endpoint <key>", "only this endpoint: its key, as `endpoints` shows it")
    .option("--count <n>", "end after so many lines")
    .option("--for <time>", "end after so long: 250ms, 5s, 2m, …")
    .addHelpText(
      "after",
      "\nExamples:\n  verbena multicast watch --for 10s\n  verbena multicast watch --endpoint mlx5_0/1/0xffff --json\n",
    )
    .action(
      action<WatchOptions>(host, async (_none, options) => {
        const { watchMulticast } = await import("./watch.js");
        return watchMulticast(options, host.io);
      }),
    );
}
