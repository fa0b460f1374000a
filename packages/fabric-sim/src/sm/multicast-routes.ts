import type { FabricNode } from "../fabric/node.js";
import type { FabricPort } from "../fabric/port.js";

/** The link of a switch towards the root of the spanning tree: its own port and the parent's. */
interface Uplink {
  readonly port: FabricPort;
  readonly parent: FabricPort;
}

/** One spanning tree over all switches, from which each group's tree is cut. */
export class MulticastTree {
  readonly #uplinks = new Map<FabricNode, Uplink>();
  readonly #depths = new Map<FabricNode, number>();

  constructor(switches: readonly FabricNode[]) {
    const root = mostConnected(switches);
    if (root === undefined) return;
    this.#depths.set(root, 0);
    const queue = [root];
    for (let node = queue.shift(); node !== undefined; node = queue.shift()) {
      for (const parent of node.ports) {
        const port = parent.number === 0 ? undefined : parent.neighbour;
        if (port?.node.kind !== "switch" || this.#depths.has(port.node)) continue;
        this.#depths.set(port.node, (this.#depths.get(node) ?? 0) + 1);
        this.#uplinks.set(port.node, { port, parent });
        queue.push(port.node);
      }
    }
  }

  /** The ports of each switch that lead to the members; switches that need not carry the group are absent. */
  portsFor(members: Iterable<FabricPort>): Map<FabricNode, Set<number>> {
    const ports = new Map<FabricNode, Set<number>>();
    const add = (port: FabricPort) => {
      const set = ports.get(port.node);
      if (set === undefined) ports.set(port.node, new Set([port.number]));
      else set.add(port.number);
    };
    const memberSwitches = new Set<FabricNode>();
    for (const member of members) {
      const at = member.number === 0 ? member : member.neighbour;
      if (at === undefined || !this.#depths.has(at.node)) continue;
      add(at);
      memberSwitches.add(at.node);
    }
    const meeting = this.#meeting(memberSwitches);
    for (const start of memberSwitches) {
      for (let node = start; node !== meeting; ) {
        const up = this.#uplinks.get(node);
        if (up === undefined) break;
        add(up.port);
        add(up.parent);
        node = up.parent.node;
      }
    }
    return ports;
  }

  /** The lowest switch above all of them. */
  #meeting(nodes: ReadonlySet<FabricNode>): FabricNode | undefined {
    let meeting: FabricNode | undefined;
    for (const node of nodes) meeting = meeting === undefined ? node : this.#common(meeting, node);
    return meeting;
  }

  #common(a: FabricNode, b: FabricNode): FabricNode {
    let [left, right] = [a, b];
    while (left !== right) {
      const isLeftDeeper = (this.#depths.get(left) ?? 0) >= (this.#depths.get(right) ?? 0);
      const up = this.#uplinks.get(isLeftDeeper ? left : right);
      if (up === undefined) return left;
      if (isLeftDeeper) left = up.parent.node;
      else right = up.parent.node;
    }
    return left;
  }
}

/** A switch with most links to other switches is near the middle. */
function mostConnected(switches: readonly FabricNode[]): FabricNode | undefined {
  const degree = (node: FabricNode) =>
    node.ports.filter((port) => port.neighbour?.node.kind === "switch" && port.number > 0).length;
  let best: { node: FabricNode; degree: number } | undefined;
  for (const node of switches) {
    const own = degree(node);
    if (best === undefined || own > best.degree) best = { node, degree: own };
  }
  return best?.node;
}
