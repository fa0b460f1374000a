import { fatTree, formatTopology, type Topology, twoLevel } from "@verbena/fabric-sim";
import { cliError } from "../../errors.js";
import { EXIT, type ExitCode } from "../../exit-code.js";
import type { Io } from "../../io.js";
import { wholeNumber } from "../../numbers.js";

interface TopologyOptions {
  readonly hosts: string;
  readonly leafs: string;
  readonly spines: string;
  readonly rate: string;
}

/** Prints a generated topology in ibsim's text form. */
export function printTopology(shape: string, options: TopologyOptions, io: Io): Promise<ExitCode> {
  io.out(formatTopology(generate(shape, options)));
  return Promise.resolve(EXIT.OK);
}

function generate(shape: string, { hosts, leafs, spines, rate }: TopologyOptions): Topology {
  const size = { hosts: wholeNumber("--hosts", hosts), rate };
  switch (shape) {
    case "two-level":
      return twoLevel(size);
    case "fat-tree":
      return fatTree({ ...size, leafs: wholeNumber("--leafs", leafs), spines: wholeNumber("--spines", spines) });
    default:
      throw cliError("VERBENA_CLI_USAGE_ARGUMENT", {
        details: { what: `no shape ${JSON.stringify(shape)}; there are two-level and fat-tree` },
      });
  }
}
