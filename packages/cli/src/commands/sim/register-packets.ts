import type { Command } from "commander";
import { action, type CommandHost } from "../../command.js";
import type { TraceOptions } from "./trace.js";

/** `sim ctl trace`: the packets of a running fabric. */
export function registerTrace(control: Command, host: CommandHost): void {
  control
    .command("trace")
    .description("print the packets of the fabric as they are sent, forwarded, delivered or dropped")
    .option("--dir <dir>", "directory of the fabric")
    .option("--node <node>", "only what happens at this node or on its links")
    .option("--port <n>", "only at ports of this number")
    .option("--class <class>", "only MADs of this management class: SA, SM, Perf, CM, …, or a number")
    .option("--attribute <name>", "only MADs with this attribute: PathRecord, PortInfo, …, or a number")
    .option("--event <list>", "send, forward, deliver, drop; a comma list")
    .option("--drops", "the same as --event drop")
    .option("--count <n>", "end after so many lines")
    .option("--for <time>", "end after so long: 250ms, 5s, 2m, …")
    .option("--pcap <file>", "also write the packets to a pcapng file for tshark and Wireshark, each once")
    .addHelpText(
      "after",
      `
Examples:
  verbena sim ctl --dir /tmp/fabric trace --class SA
  verbena sim ctl --dir /tmp/fabric trace --drops --for 10s
  verbena sim ctl --dir /tmp/fabric trace --node H2 --pcap h2.pcapng
`,
    )
    .action(
      action<TraceOptions>(host, async (_words, options) => {
        const { traceFabric } = await import("./trace.js");
        return traceFabric(options, host.io);
      }),
    );
}
