import type { FabricNode } from "../fabric/node.js";
import type { FabricPort } from "../fabric/port.js";

/**
 * Fills the linear forwarding tables with minimum-hop routes. Of several ports on shortest ways a switch takes the one with the
 * fewest LIDs routed through it so far, so that traffic spreads; equal fabrics always get equal tables.
 */
export function programUnicastRoutes(switches: readonly FabricNode[], endPorts: readonly FabricPort[]): void {
  for (const node of switches) node.tables?.clearRoutes();
  const loads = new Map(switches.map((node) => [node, new Array<number>(node.portCount + 1).fill(0)]));
  for (const [target, targets] of groupBySwitch(endPorts)) {
    const ways = shortestWays(target);
    for (const { port, exit } of targets) {
      for (let lid: number = port.lid; port.lid !== 0 && lid < port.lid + (1 << port.lmc); lid++) {
        target.tables?.setRoute(lid, exit);
        for (const [node, candidates] of ways) {
          const load = loads.get(node);
          if (load === undefined) continue;
          const best = candidates.reduce((a, b) => ((load[b] ?? 0) < (load[a] ?? 0) ? b : a));
          load[best] = (load[best] ?? 0) + 1;
          node.tables?.setRoute(lid, best);
        }
      }
    }
  }
}

interface Target {
  readonly port: FabricPort;
  /** Port of the switch that leads to it; 0 for the switch itself. */
  readonly exit: number;
}

function groupBySwitch(endPorts: readonly FabricPort[]): Map<FabricNode, Target[]> {
  const groups = new Map<FabricNode, Target[]>();
  for (const port of endPorts) {
    const at = port.number === 0 ? port : port.neighbour;
    if (at?.node.kind !== "switch") continue;
    const group = groups.get(at.node);
    if (group === undefined) groups.set(at.node, [{ port, exit: at.number }]);
    else group.push({ port, exit: at.number });
  }
  return groups;
}

/** For each other switch the ports that lead one hop nearer to `target`. */
function shortestWays(target: FabricNode): Map<FabricNode, number[]> {
  const distance = new Map<FabricNode, number>([[target, 0]]);
  const ways = new Map<FabricNode, number[]>();
  const queue: FabricNode[] = [target];
  for (let node = queue.shift(); node !== undefined; node = queue.shift()) {
    const hops = (distance.get(node) ?? 0) + 1;
    for (const port of node.ports) {
      const neighbour = port.number === 0 ? undefined : port.neighbour;
      if (neighbour?.node.kind !== "switch") continue;
      const known = distance.get(neighbour.node);
      if (known === undefined) {
        distance.set(neighbour.node, hops);
        queue.push(neighbour.node);
      }
      if (known === undefined || known === hops) {
        const candidates = ways.get(neighbour.node);
        if (candidates === undefined) ways.set(neighbour.node, [neighbour.number]);
        else candidates.push(neighbour.number);
      }
    }
  }
  for (const candidates of ways.values()) candidates.sort((a, b) => a - b);
  return ways;
}
