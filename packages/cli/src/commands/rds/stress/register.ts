import { type Command, Option } from "commander";
import { action, type CommandHost } from "../../../command.js";
import type { RefusedOptions } from "../unsupported.js";
import type { StressOptions } from "./settings.js";

/** `verbena rds stress`, with the options of rds-stress by the letters they have there. */
export function registerStress(command: Command, host: CommandHost): void {
  command
    .description("exchange requests and acks with another host, as rds-stress does, and show how fast that goes")
    .option("-s, --send-addr <address>", "the passive side's address; without it this is the passive side")
    .option("-r, --recv-addr <address>", "own address (default: the link's)")
    .option("-p, --port <n>", "TCP port of the link; children have the RDS ports behind it (default: 4000)")
    .option("-q, --req-bytes <n>", "bytes of a request, 63 at least (default: 1024)")
    .option("-a, --ack-bytes <n>", "bytes of an ack (default: 63)")
    .option("-d, --depth <n>", "requests under way from each child to each other (default: 1)")
    .option("-t, --tasks <n>", "children of each side; each exchanges with all of the other side (default: 1)")
    .option("-T, --time <s>", "seconds after the warm-up (default: 0, until a signal)")
    .option("-o, --simplex", "only the active side sends requests")
    .option("-v, --verify", "look at every byte of what comes")
    .option("-V, --trace", "tell of each message on standard error")
    .option("-z, --report-summary", "only the line of the whole run")
    .option("-c, --report-cpu", "how busy the processors of this host are")
    .option("--use-cong-monitor <0|1>", "after congestion wait for the destination's own update (default: 1)")
    .option("--show-params", "the options, in front")
    .option("--show-perfdata", "lines of comma separated values after ::")
    .option("--show-outliers <us>", "round trips of so many microseconds and more")
    .option("--show-histogram", "round trips by powers of two, at the end")
    .option("--connect-retries <n>", "further tries for the link, one a second (default: 0)")
    .option("--count <n>", "end when so many requests from each child to each other are answered")
    .option(
      "--warm-up <time>",
      "before statistics begin; children begin half way (default: 4s; 0 for --count over loop)",
    )
    .option("--every <time>", "between lines (default: 1s)")
    .option("--receive-buffer <bytes>", "what may wait at a socket before it is congested (default: room for all)")
    .option("--read-rate <n>", "messages that a child reads in a second at most")
    .addHelpText("after", HELP);
  for (const flags of REFUSED) command.addOption(new Option(flags).hideHelp());
  command.action(
    action<StressOptions & RefusedOptions>(host, async (_none, options) => {
      const { stressRds } = await import("./stress.js");
      return stressRds(options, host.io);
    }),
  );
}

/** Known to rds-stress; refused with the reason, where an unknown option would only be unknown. */
const REFUSED = [
  "-Q, --tos <n>",
  "-D, --rdma-bytes <n>",
  "-I, --rdma-vector <n>",
  "-M, --rdma-mode <n>",
  "-R, --rtprio",
  "--async",
  "--reset",
  "--rdma-use-once <n>",
  "--rdma-use-get-mr <n>",
  "--rdma-use-fence <n>",
  "--rdma-use-notify <n>",
  "--rdma-cache-mrs <n>",
  "--rdma-alignment <n>",
  "--rdma-key-o-meter",
];

const HELP = `
The children are sockets of one process. Options from --count on are not rds-stress'.
A run that ends within the warm-up is shown whole in the average.

Examples:
  verbena rds stress --transport tcp -r 10.0.0.2
  verbena rds stress --transport tcp -r 10.0.0.1 -s 10.0.0.2 -q 4096 -t 2 -d 8 -T 10
  verbena rds stress --transport loop -r 127.0.0.1 -s 127.0.0.2 --count 1000 -v
`;
