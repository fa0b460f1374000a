import type { FabricStatus, NodeStatus, PortStatus } from "../control/protocol.js";
import { splitEnd } from "../topology/node-names.js";

/** One end of a cable. */
export interface GraphEnd {
  readonly node: GraphNode;
  readonly port: number;
}

/** A cable: `idle` is a link that is up and that no subnet manager has brought to ACTIVE. */
export interface GraphLink {
  readonly a: GraphEnd;
  readonly b: GraphEnd;
  readonly rate: string;
  readonly state: "active" | "idle" | "down";
}

/** A node and how far it is from the hosts: they are 0, leaf switches 1, and so on. */
export interface GraphNode {
  readonly status: NodeStatus;
  readonly lid: number;
  level: number;
}

/** A fabric as nodes and cables. */
export interface FabricGraph {
  readonly nodes: readonly GraphNode[];
  readonly links: readonly GraphLink[];
}

/** Reads nodes, levels and cables out of a status, in its order. */
export function fabricGraph(status: Pick<FabricStatus, "nodes">): FabricGraph {
  const nodes: GraphNode[] = status.nodes.map((node) => ({
    status: node,
    lid: node.ports.find(({ lid }) => lid !== 0)?.lid ?? 0,
    level: node.kind === "switch" ? Number.POSITIVE_INFINITY : 0,
  }));
  const byId = new Map(nodes.map((node) => [node.status.id, node]));
  const ports = new Map(status.nodes.flatMap((node) => node.ports.map((port) => [port.end, port] as const)));
  const seen = new Set<string>();
  const links: GraphLink[] = [];
  for (const [end, port] of ports) {
    const peer = port.peer === undefined ? undefined : ports.get(port.peer);
    if (peer === undefined || seen.has(peer.end)) continue;
    seen.add(end);
    const [a, b] = [endOf(byId, end), endOf(byId, peer.end)];
    if (a !== undefined && b !== undefined) links.push({ a, b, rate: port.rate, state: stateOf(port, peer) });
  }
  setLevels(nodes, links);
  return { nodes, links };
}

function endOf(byId: ReadonlyMap<string, GraphNode>, end: string): GraphEnd | undefined {
  const { name, port } = splitEnd(end);
  const node = byId.get(name);
  return node === undefined || port === undefined ? undefined : { node, port };
}

function stateOf(a: PortStatus, b: PortStatus): GraphLink["state"] {
  if (a.state === "down" || b.state === "down") return "down";
  return a.state === "active" && b.state === "active" ? "active" : "idle";
}

/** Switches are one above their lowest neighbour; those that no host reaches are leaf switches. */
function setLevels(nodes: readonly GraphNode[], links: readonly GraphLink[]): void {
  const neighbours = new Map<GraphNode, GraphNode[]>(nodes.map((node) => [node, []]));
  for (const { a, b } of links) {
    neighbours.get(a.node)?.push(b.node);
    neighbours.get(b.node)?.push(a.node);
  }
  let edge = nodes.filter(({ level }) => level === 0);
  for (let level = 1; edge.length > 0; level++) {
    const next = new Set(edge.flatMap((node) => neighbours.get(node) ?? []).filter((node) => node.level > level));
    for (const node of next) node.level = level;
    edge = [...next];
  }
  for (const node of nodes) if (!Number.isFinite(node.level)) node.level = 1;
}
