import type { Command } from "commander";
import { action, type CommandHost } from "../../command.js";
import type { GraphOptions } from "./graph.js";

/** `sim graph`: a fabric as a drawing. */
export function registerGraph(sim: Command, host: CommandHost): void {
  sim
    .command("graph")
    .description("draw a topology file, or a running fabric, as SVG")
    .argument("[topology]", "file in ibsim or ibnetdiscover text")
    .option("--dir <dir>", "directory of a running fabric, instead of a file")
    .option("--route <ends...>", "highlight the route between two ends, FROM TO, and list its hops")
    .option("--out <file>", "write the drawing there; default: standard output")
    .addHelpText(
      "after",
      `
Examples:
  verbena sim graph cluster.net --out cluster.svg
  verbena sim graph --dir /tmp/fabric --route H1 H8 --out route.svg
`,
    )
    .action(
      action<GraphOptions>(host, async ([topology], options) => {
        const { drawGraph } = await import("./graph.js");
        return drawGraph(topology, options, host.io);
      }),
    );
}
