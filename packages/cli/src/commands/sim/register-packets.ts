import type { Command } from "commander";
import { action, type CommandHost } from "../../command.js";
import type { SendOptions } from "./send.js";
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

/** `sim ctl send`: a packet that no program has sent. */
export function registerSend(control: Command, host: CommandHost): void {
  control
    .command("send")
    .description("send a MAD, or any bytes, from a port into the fabric")
    .option("--dir <dir>", "directory of the fabric")
    .requiredOption("--from <end>", "the port: NODE or NODE[PORT]; port 0 of a switch")
    .option("--to <end>", "a LID, also of a multicast group, or a port that has one")
    .option("--class <class>", "management class: SA, SM, SM-DR, Perf, …, or a number (default: SA)")
    .option("--method <method>", "Get, Set, GetTable, …, or a number (default: Get)")
    .option("--attribute <name>", "PathRecord, NodeInfo, …, or a number (default: ClassPortInfo)")
    .option("--modifier <n>", "attribute modifier")
    .option("--tid <n>", "transaction id, 64 bits (default: one of the fabric's)")
    .option("--mask <n>", "component mask, SA only")
    .option("--path <ports>", "directed route, SM-DR only: 0,1,5")
    .option("--data <hex>", "the attribute")
    .option("--hex <hex>", "instead of the above: the MAD, 24 to 256 bytes")
    .option("--packet <hex>", "instead of a MAD: all bytes from the LRH on, without CRCs, sent as they are")
    .option("--pkey <pkey>", "P_Key (default: 0xffff)")
    .option("--sl <n>", "service level")
    .option("--qp <n>", "destination queue pair (default: 0 or 1 as the class wants it, 0xffffff to a multicast LID)")
    .option("--qkey <n>", "Q_Key (default: as the class wants it)")
    .option("--wait <time>", "wait so long for the answer, and print it")
    .addHelpText(
      "after",
      `
Examples:
  verbena sim ctl --dir /tmp/fabric send --from H2 --to H1 --attribute NodeRecord --mask 1 --data 0004 --wait 1s
  verbena sim ctl --dir /tmp/fabric send --from H2 --class SM-DR --attribute NodeInfo --path 0,1,5 --wait 1s
  verbena sim ctl --dir /tmp/fabric send --from H2 --to 0xc000 --class ACM --method Send
`,
    )
    .action(
      action<SendOptions>(host, async (_words, options) => {
        const { sendPacket } = await import("./send.js");
        return sendPacket(options, host.io);
      }),
    );
}
