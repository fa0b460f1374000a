import type { FabricGraph, GraphLink, GraphNode } from "./fabric-graph.js";

/** More hosts than this are drawn as one card for all that hang on the same switches. */
export const MAX_SINGLE_HOSTS = 40;

/** What is drawn as one box: a node, or hosts on the same switches. */
export interface Box {
  readonly nodes: readonly GraphNode[];
  readonly level: number;
  readonly width: number;
  readonly height: number;
  /** Left and top. */
  x: number;
  y: number;
}

/** What is drawn as one line: a cable, or in a collapsed graph all between the same boxes. */
export interface Line {
  readonly links: readonly GraphLink[];
  readonly from: Box;
  readonly to: Box;
}

/** Boxes in layers, hosts below, and the lines between them. */
export interface Layout {
  readonly boxes: readonly Box[];
  readonly lines: readonly Line[];
  readonly isCollapsed: boolean;
  readonly width: number;
  readonly height: number;
}

const BOX_HEIGHT = 44;
const CARD_HEIGHT = 62;
const MIN_WIDTH = 92;
/** Room for the port number of a cable. */
const PORT_PITCH = 26;
const GAP = 16;
const LAYER_GAP = 110;

/**
 * Layers by distance from the hosts; each box above the middle of what hangs on it, in the order of the file where that is equal. A
 * general graph layout would not know that hosts belong below and leaf switches side by side.
 */
export function layOut(graph: FabricGraph): Layout {
  const isCollapsed = graph.nodes.filter(({ level }) => level === 0).length > MAX_SINGLE_HOSTS;
  const boxes = boxesOf(graph, isCollapsed);
  const boxOf = new Map(boxes.flatMap((box) => box.nodes.map((node) => [node, box] as const)));
  const lines = linesOf(graph, boxOf, isCollapsed);
  const levels = [...new Set(boxes.map(({ level }) => level))].sort((a, b) => a - b);
  const layers = levels.map((level) => boxes.filter((box) => box.level === level));
  arrange(layers, lines);
  const width = Math.max(...boxes.map((box) => box.x + box.width), 0);
  let y = 0;
  for (const layer of layers.toReversed()) {
    for (const box of layer) box.y = y;
    const gap = isCollapsed && (layer[0]?.level ?? 0) > 1 ? Math.max(LAYER_GAP, width / 9) : LAYER_GAP;
    y += Math.max(...layer.map(({ height }) => height)) + gap;
  }
  return { boxes, lines, isCollapsed, width, height: Math.max(0, y - LAYER_GAP) };
}

function boxesOf({ nodes, links }: FabricGraph, isCollapsed: boolean): readonly Box[] {
  const degree = new Map<GraphNode, number>();
  const switchesOf = new Map<GraphNode, Set<string>>();
  for (const { a, b } of links) {
    for (const [own, other] of [
      [a.node, b.node],
      [b.node, a.node],
    ] as const) {
      degree.set(own, (degree.get(own) ?? 0) + 1);
      switchesOf.set(own, (switchesOf.get(own) ?? new Set()).add(other.status.id));
    }
  }
  const groups = new Map<string, GraphNode[]>();
  for (const node of nodes) {
    const isCard = isCollapsed && node.level === 0;
    const key = isCard ? `on ${[...(switchesOf.get(node) ?? [])].sort().join("\n")}` : `is ${node.status.id}`;
    groups.set(key, [...(groups.get(key) ?? []), node]);
  }
  return [...groups.values()].map((members) => {
    const [first] = members;
    const ports = isCollapsed || first === undefined ? 0 : (degree.get(first) ?? 0);
    const isCard = isCollapsed && first?.level === 0;
    return {
      nodes: members,
      level: first?.level ?? 0,
      width: Math.max(MIN_WIDTH, first?.level === 0 ? 0 : ports * PORT_PITCH),
      height: isCard ? CARD_HEIGHT : BOX_HEIGHT,
      x: 0,
      y: 0,
    };
  });
}

function linesOf({ links }: FabricGraph, boxOf: ReadonlyMap<GraphNode, Box>, isCollapsed: boolean): readonly Line[] {
  const lines = new Map<string, { from: Box; to: Box; links: GraphLink[] }>();
  const numbers = new Map([...new Set(boxOf.values())].map((box, index) => [box, index]));
  links.forEach((link, index) => {
    const ends = [boxOf.get(link.a.node), boxOf.get(link.b.node)].filter((box) => box !== undefined);
    const [from, to] = ends.sort((a, b) => a.level - b.level || (numbers.get(a) ?? 0) - (numbers.get(b) ?? 0));
    if (from === undefined || to === undefined) return;
    const key = isCollapsed ? `${String(numbers.get(from))} ${String(numbers.get(to))}` : String(index);
    const line = lines.get(key) ?? { from, to, links: [] };
    line.links.push(link);
    lines.set(key, line);
  });
  return [...lines.values()];
}

/** From the widest way to see it, the hosts, upwards; then every layer is centred above the one below. */
function arrange(layers: readonly Box[][], lines: readonly Line[]): void {
  const below = new Map<Box, Box[]>();
  const above = new Map<Box, Box[]>();
  for (const { from, to } of lines) {
    if (from.level === to.level) continue;
    below.set(to, [...(below.get(to) ?? []), from]);
    above.set(from, [...(above.get(from) ?? []), to]);
  }
  const [hosts = [], ...switches] = layers;
  // Hosts stand where their first switch stands in the file.
  const rank = new Map((switches[0] ?? []).map((box, index) => [box, index]));
  const rankOf = (host: Box) =>
    Math.min(...(above.get(host) ?? []).map((box) => rank.get(box) ?? 0), Number.MAX_SAFE_INTEGER);
  hosts.sort((a, b) => rankOf(a) - rankOf(b));
  spread(hosts, (host, before) => (before === undefined || rankOf(host) === rankOf(before) ? GAP : GAP * 2.5));
  let lowest: readonly Box[] = hosts;
  for (const layer of switches) {
    const wanted = new Map(layer.map((box) => [box, mean((below.get(box) ?? []).map(middle))]));
    layer.sort((a, b) => (wanted.get(a) ?? 0) - (wanted.get(b) ?? 0));
    pull(layer, wanted, gapOf(layer, lowest));
    lowest = layer;
  }
  const left = Math.min(...layers.flat().map(({ x }) => x), 0);
  for (const box of layers.flat()) box.x -= left;
}

function spread(layer: readonly Box[], gapBefore: (box: Box, before: Box | undefined) => number): void {
  let x = 0;
  layer.forEach((box, index) => {
    if (index > 0) x += gapBefore(box, layer[index - 1]);
    box.x = x;
    x += box.width;
  });
}

/** A layer of fewer boxes than the one below is spread over two thirds of its width. */
function gapOf(layer: readonly Box[], lowest: readonly Box[]): number {
  const own = layer.reduce((sum, { width }) => sum + width, 0);
  const first = Math.min(...lowest.map(({ x }) => x));
  const last = Math.max(...lowest.map(({ x, width }) => x + width));
  const room = ((last - first) * 2) / 3 - own;
  return Math.max(GAP * 1.5, layer.length > 1 && Number.isFinite(room) ? room / (layer.length - 1) : 0);
}

/** Moves boxes to where they want to be as far as the order lets them: not left of the one before, then centred as a whole. */
function pull(layer: readonly Box[], wanted: ReadonlyMap<Box, number>, gap: number): void {
  let free = Number.NEGATIVE_INFINITY;
  for (const box of layer) {
    box.x = Math.max((wanted.get(box) ?? 0) - box.width / 2, free);
    free = box.x + box.width + gap;
  }
  const shift = mean(layer.map((box) => middle(box) - (wanted.get(box) ?? 0)));
  for (const box of layer) box.x -= shift;
}

function middle(box: Box): number {
  return box.x + box.width / 2;
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
