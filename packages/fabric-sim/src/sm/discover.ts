import type { FabricNode } from "../fabric/node.js";
import type { FabricPort } from "../fabric/port.js";
import { sortByGuid } from "./guid-order.js";

/** What a subnet manager sees over links that are up. */
export interface Discovery {
  /** Nodes in table order. */
  readonly nodes: readonly FabricNode[];
  /** Switches in table order. */
  readonly switches: readonly FabricNode[];
  /** Ports with a LID, in table order. */
  readonly endPorts: readonly FabricPort[];
}

/** Explores the fabric from `start`. The way leads through switches only: adapters do not forward. */
export function discover(start: FabricPort): Discovery {
  const nodes = new Set<FabricNode>([start.node]);
  const endPorts = new Set<FabricPort>();
  const queue: FabricPort[] = [];
  const enter = (port: FabricPort) => {
    const isNew = !nodes.has(port.node);
    nodes.add(port.node);
    if (port.node.kind !== "switch") endPorts.add(port);
    else if (isNew) expand(port.node);
  };
  const expand = (node: FabricNode) => {
    for (const port of node.ports) {
      if (port.number === 0) endPorts.add(port);
      else if (port.neighbour !== undefined) queue.push(port.neighbour);
    }
  };
  if (start.node.kind === "switch") expand(start.node);
  else {
    endPorts.add(start);
    if (start.neighbour !== undefined) queue.push(start.neighbour);
  }
  for (let port = queue.shift(); port !== undefined; port = queue.shift()) enter(port);
  const sorted = sortByGuid([...nodes], (node) => node.nodeGuid);
  return {
    nodes: sorted,
    switches: sorted.filter((node) => node.kind === "switch"),
    endPorts: sortByGuid([...endPorts], (port) => port.guid),
  };
}
