import type { Command } from "commander";
import { action, type CommandHost } from "../../command.js";
import type { ExecOptions } from "./exec.js";
import { registerGraph } from "./register-graph.js";
import { registerSend, registerTrace } from "./register-packets.js";
import type { RunOptions } from "./run.js";

/** `verbena sim …`: a simulated fabric on this machine. */
export function registerSim(program: Command, host: CommandHost): void {
  const sim = program.command("sim").description("run and steer a simulated InfiniBand fabric");
  registerRun(sim, host);
  registerExec(sim, host);
  registerControl(sim, host);
  registerTopology(sim, host);
  registerGraph(sim, host);
}

function registerRun(sim: Command, host: CommandHost): void {
  sim
    .command("run")
    .description("run a fabric in the foreground; prints `ready` when programs can attach")
    .argument("<topology>", "file in ibsim or ibnetdiscover text")
    .requiredOption("--dir <dir>", "directory of the fabric's sockets; its name is how programs find it")
    .option("--addresses <file>", "IP addresses of the ports, lines `NODE[PORT] IP/PREFIX [PKEY]`")
    .option("--sm <manager>", "builtin, or opensm: nobody manages the fabric until you start one on a node", "builtin")
    .option("--sm-node <end>", "port of the subnet manager, `NODE` or `NODE[PORT]`")
    .option("--seed <n>", "seed of everything random", "1")
    .option("--time-scale <n>", "time runs so many times faster, for the fabric and the daemons on it", "1")
    .option("--event-log <file>", "write what happens, what nodes were told and every path that is new, JSON lines")
    .addHelpText(
      "after",
      "\nExample:\n  verbena sim run cluster.net --dir /tmp/fabric --addresses cluster.addr\n\nWith a real OpenSM:\n  verbena sim run cluster.net --dir /tmp/fabric --sm opensm\n  verbena sim exec --dir /tmp/fabric --node H1 -- opensm\n",
    )
    .action(
      action<RunOptions>(host, async ([topology = ""], options) => {
        const { runFabric } = await import("./run.js");
        return runFabric(topology, options, host.io);
      }),
    );
}

function registerExec(sim: Command, host: CommandHost): void {
  sim
    .command("exec")
    .description("run any program on a simulated node")
    .requiredOption("--dir <dir>", "directory of the fabric")
    .requiredOption("--node <name>", "topology id, NodeDescription or its first word; a comma list gives several HCAs")
    .argument("<command...>", "the program and its arguments, after `--`")
    .passThroughOptions()
    .addHelpText("after", "\nExample:\n  verbena sim exec --dir /tmp/fabric --node H1 -- saquery\n")
    .action(
      action<ExecOptions>(host, async (command, options) => {
        const { execOnNode } = await import("./exec.js");
        return execOnNode(command, options);
      }),
    );
}

function registerControl(sim: Command, host: CommandHost): void {
  const control = sim
    .command("ctl")
    .description("look at a running fabric and change it")
    .option("--dir <dir>", "directory of the fabric")
    .argument("<request...>", "what to do, see below")
    .addHelpText("after", CONTROL_HELP)
    .action(
      action<{ dir?: string; json?: boolean }>(host, async (words, options) => {
        const { controlFabric } = await import("./control.js");
        return controlFabric(words, options, host.io);
      }),
    );
  registerTrace(control, host);
  registerSend(control, host);
}

const CONTROL_HELP = `
Requests:
  status                                   nodes, ports, subnet manager
  link down|up END                         END is NODE or NODE[PORT]
  link flap END [TIME] [TIMES]             down and up again, each for 100ms unless told
  sa MODE [DURATION [DELAY]]               normal, silent, busy, slow, twice, unordered or wrong-tid;
                                           for 5s, 250ms, …; without one until changed; slow is 3s or DELAY late
  addr add NODE[PORT] IP/PREFIX [PKEY]     an address comes to a port
  addr del IP                              it goes
  addr move IP NODE[PORT]                  it moves
  addresses [NODE]                         the addresses that are there
  reregister                               the subnet manager asks all ports to register again
  sweep                                    the subnet manager looks at the fabric again
  hand-over END                            the subnet manager and the SA move to another port
  lid change END                           a port gets another LID
  gid END INDEX GUID|clear                 an alias in the GID table of a host port
  pkey END INDEX P_KEY|clear               an entry of its P_Key table
  trap END 129|130|131                     a link tells the subnet manager of errors, buffer overrun or
                                           missing flow control
  fault set END|all loss=5 delay=10ms      packets that leave END are lost (percent), late; also
                                           jitter=5ms, duplicate=1, reorder=2; traffic=data or
                                           traffic=mads: only packets of queue pairs, or only MADs
  fault clear [END]                        no faults there, or anywhere
  fault list                               the faults that are set
  node describe NODE TEXT                  the node gets another NodeDescription
  node remove NODE | node restore NODE     all its links go, and come back
  node reboot NODE [TIME]                  both, a second apart unless told; a switch forgets its tables
  route cut FROM TO                        a one-way route, until the next sweep
  routes FROM TO                           the way of a packet, hop by hop
  paths [FROM [TO]]                        the paths that packets would arrive by, all or of one host
  scenario FILE                            replays a file of lines TIME REQUEST, times from the start
  counters                                 what the SA was asked
  topology                                 the topology as text
  trace                                    the packets, as they go; 'trace --help' has more
  send --from END --to END …               a packet of your own; 'send --help' has more

Example:
  verbena sim ctl --dir /tmp/fabric link down H2
`;

function registerTopology(sim: Command, host: CommandHost): void {
  sim
    .command("topology")
    .description("print a generated topology")
    .argument("<shape>", "two-level or fat-tree")
    .requiredOption("--hosts <n>", "number of hosts")
    .option("--leafs <n>", "leaf switches of a fat tree", "4")
    .option("--spines <n>", "spine switches of a fat tree", "2")
    .option("--rate <rate>", "rate of every link", "4xEDR")
    .addHelpText("after", "\nExample:\n  verbena sim topology two-level --hosts 8 > cluster.net\n")
    .action(
      action<{ hosts: string; leafs: string; spines: string; rate: string; json?: boolean }>(
        host,
        async ([shape = ""], options) => {
          const { printTopology } = await import("./topology.js");
          return printTopology(shape, options, host.io);
        },
      ),
    );
}
