import type { Command } from "commander";
import { action, type CommandHost } from "../../command.js";
import { asked } from "./asked.js";
import type { ExplainCommandOptions } from "./explain.js";
import type { ResolveCommandOptions } from "./resolve.js";
import type { ServiceOptions } from "./service.js";
import type { StatsCommandOptions } from "./stats.js";

/** Commands that ask a running daemon. */
export function registerClient(program: Command, host: CommandHost): void {
  registerResolve(program, host);
  registerExplain(program, host);
  registerViews(program, host);
  registerCache(program, host);
}

function registerResolve(program: Command, host: CommandHost): void {
  asked(program.command("resolve"))
    .description("resolve a name or address to InfiniBand paths")
    .argument("<destination>", "name, IPv4, IPv6, GID or LID")
    .option("-s, --source <address>", "source name or address (default: chosen by the daemon)")
    .option("--no-delay", "answer from the cache only; a lookup goes on in the background")
    .option("--timeout <ms>", "give up after so many milliseconds")
    .option("--paths <n>", "how many paths at most")
    .addHelpText("after", RESOLVE_HELP)
    .action(
      action<ResolveCommandOptions>(host, async ([destination = ""], options) => {
        const { resolveCommand } = await import("./resolve.js");
        return resolveCommand(destination, options, host.io);
      }),
    );
}

function registerExplain(program: Command, host: CommandHost): void {
  asked(program.command("explain"))
    .description("resolve a destination and tell each step")
    .argument("<destination>", "as for resolve")
    .option("-s, --source <address>", "source name or address (default: chosen by the daemon)")
    .option("--timeout <ms>", "give up after so many milliseconds")
    .option("--paths <n>", "how many paths at most")
    .option("--no-route", "do not follow the path through the switches")
    .addHelpText("after", "\nExamples:\n  verbena explain node12\n  verbena explain 192.0.2.12 -s 192.0.2.1 --json\n")
    .action(
      action<ExplainCommandOptions>(host, async ([destination = ""], options) => {
        const { explainCommand } = await import("./explain.js");
        return explainCommand(destination, options, host.io);
      }),
    );
}

const RESOLVE_HELP = `
What a text means: digits are a LID; IPv4 and IPv6 texts are addresses, but an IPv6 text of fe80::/10 is a GID; the rest is a name.
A prefix name:, ip:, gid: or lid: says it outright.

Examples:
  verbena resolve node12
  verbena resolve 192.0.2.12 -s 192.0.2.1
  verbena resolve lid:12 --json
`;

function registerViews(program: Command, host: CommandHost): void {
  asked(program.command("endpoints"))
    .description("list the local endpoints and their addresses")
    .addHelpText("after", "\nExample:\n  verbena endpoints --json\n")
    .action(
      action<ServiceOptions>(host, async (_none, options) => {
        const { endpointsCommand } = await import("./endpoints.js");
        return endpointsCommand(options, host.io);
      }),
    );
  asked(program.command("stats"))
    .description("show the daemon's counters")
    .option("--clients", "who asks, and who makes the daemon ask the subnet administrator")
    .addHelpText("after", "\nExamples:\n  verbena stats --socket /tmp/h1.sock\n  verbena stats --clients --json\n")
    .action(
      action<StatsCommandOptions>(host, async (_none, options) => {
        const { statsCommand } = await import("./stats.js");
        return statsCommand(options, host.io);
      }),
    );
}

function registerCache(program: Command, host: CommandHost): void {
  const cache = program.command("cache").description("look into the daemon's caches");
  asked(cache.command("ls"))
    .description("list what is cached")
    .addHelpText("after", "\nExample:\n  verbena cache ls | grep node12\n")
    .action(
      action<ServiceOptions>(host, async (_none, options) => {
        const { listCache } = await import("./cache.js");
        return listCache(options, host.io);
      }),
    );
  asked(cache.command("flush"))
    .description("drop one destination, or everything")
    .argument("[destination]", "as for resolve")
    .addHelpText("after", "\nExamples:\n  verbena cache flush node12\n  verbena cache flush\n")
    .action(
      action<ServiceOptions>(host, async ([destination], options) => {
        const { flushCache } = await import("./cache.js");
        return flushCache(destination, options, host.io);
      }),
    );
}
