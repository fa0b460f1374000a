import { type FabricManagement, startFabric } from "@verbena/fabric-sim";
import { cliError } from "../../errors.js";
import { EXIT, type ExitCode } from "../../exit-code.js";
import type { Io } from "../../io.js";
import { wholeNumber } from "../../numbers.js";
import { untilSignal } from "../../signals.js";

export interface RunOptions {
  readonly dir: string;
  readonly addresses?: string;
  readonly smNode?: string;
  readonly sm: string;
  readonly seed: string;
  readonly eventLog?: string;
  readonly timeScale: string;
  readonly json?: boolean;
}

/** Runs a fabric until SIGINT or SIGTERM. */
export async function runFabric(topology: string, options: RunOptions, io: Io): Promise<ExitCode> {
  await using fabric = await startFabric({
    topology,
    dir: options.dir,
    addressesFile: options.addresses,
    smNode: options.smNode,
    sm: management(options.sm),
    timeScale: wholeNumber("--time-scale", options.timeScale),
    eventLog: options.eventLog,
    seed: wholeNumber("--seed", options.seed),
    logger: {
      info: () => undefined,
      warn: (facts, message) => {
        io.err(`${message} ${JSON.stringify(facts)}\n`);
      },
    },
  });
  if (options.json === true)
    io.out(`${JSON.stringify({ ready: true, dir: fabric.dir, nodes: fabric.topology.nodes.length })}\n`);
  else io.out("ready\n");
  await untilSignal(["SIGINT", "SIGTERM"]);
  return EXIT.OK;
}

function management(text: string): FabricManagement {
  if (text === "builtin" || text === "opensm") return text;
  throw cliError("VERBENA_CLI_USAGE_ARGUMENT", { details: { what: `--sm takes builtin or opensm, not "${text}"` } });
}
