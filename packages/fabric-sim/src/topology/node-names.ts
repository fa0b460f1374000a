import { simError } from "../errors.js";

/** The part of a node that names choose by. */
export interface NamedNode {
  readonly id: string;
  readonly description: string;
}

/**
 * The nodes a name chooses, in file order: the one with that id, else those with that NodeDescription, else those whose
 * NodeDescription has it as first word. Empty if there is none.
 */
export function nodesNamed<T extends NamedNode>(nodes: readonly T[], name: string): readonly T[] {
  const byId = nodes.find((node) => node.id === name);
  if (byId !== undefined) return [byId];
  const byDescription = nodes.filter((node) => node.description === name);
  if (byDescription.length > 0) return byDescription;
  return nodes.filter((node) => node.description.split(/\s+/, 1)[0] === name);
}

/** Splits `NODE` or `NODE[PORT]`; the port is `undefined` if none is given. */
export function splitEnd(text: string): { readonly name: string; readonly port: number | undefined } {
  const match = /^(.*)\[(\d+)\]$/s.exec(text);
  return match === null ? { name: text, port: undefined } : { name: match[1] ?? "", port: Number(match[2]) };
}

/** As `nodesNamed`, but none is an error. @throws VerbenaError `VERBENA_SIM_NODE_UNKNOWN` */
export function needNodesNamed<T extends NamedNode>(nodes: readonly T[], name: string): readonly T[] {
  const found = nodesNamed(nodes, name);
  if (found.length === 0) throw simError("VERBENA_SIM_NODE_UNKNOWN", { details: { name } });
  return found;
}
