import type { Command } from "commander";
import { action, type CommandHost } from "../../command.js";
import type { DemoOptions } from "./demo.js";

/** `verbena demo`, which is what `npm start` runs. */
export function registerDemo(program: Command, host: CommandHost): void {
  program
    .command("demo")
    .description("show a simulated cluster of eight hosts with two daemons; ends by itself")
    .option("--keep", "leave the cluster up until Ctrl-C, and print what to try")
    .addHelpText("after", "\nExamples:\n  verbena demo\n  verbena demo --keep\n")
    .action(
      action<DemoOptions>(host, async (_none, options) => {
        const { demo } = await import("./demo.js");
        return demo(options, host.io);
      }),
    );
}
