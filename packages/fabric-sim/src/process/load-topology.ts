import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { simError } from "../errors.js";
import type { Topology } from "../topology/model.js";
import { parseTopology } from "../topology/parse-topology.js";

/** Reads a topology file, with the files it includes. @throws VerbenaError `VERBENA_SIM_FILE`, `VERBENA_SIM_TOPOLOGY_…` */
export function readTopologyFile(file: string): Topology {
  return parseTopology(readText(file), {
    file,
    readInclude: (name, from) => {
      const included = resolve(dirname(from), name);
      return { file: included, text: readFileSync(included, "utf8") };
    },
  });
}

/** A topology as it is, from text (a string with a line break) or from a file (any other string). */
export function loadTopology(topology: Topology | string): Topology {
  if (typeof topology !== "string") return topology;
  return topology.includes("\n") ? parseTopology(topology) : readTopologyFile(topology);
}

/** A text file. @throws VerbenaError `VERBENA_SIM_FILE` */
export function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw simError("VERBENA_SIM_FILE", { details: { file, problem }, cause: error });
  }
}
