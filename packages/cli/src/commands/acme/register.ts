import type { Command } from "commander";

/** Puts `acme` into the list of commands; the words behind it never come here, see `runFace`. */
export function registerAcme(program: Command): void {
  program
    .command("acme")
    .description("ib_acme's command line: resolve, verify, counters, endpoints, configuration files")
    .usage("[ib_acme's options]")
    .helpOption(false)
    .addHelpText(
      "after",
      `
Started under the name ib_acme the program takes the same words.

Examples:
  verbena acme -f n -s node1 -d node2 -v
  verbena acme -A -O -D /etc/rdma
`,
    );
}
