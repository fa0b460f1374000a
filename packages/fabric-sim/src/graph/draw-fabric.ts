import type { FabricStatus, RouteResult } from "../control/protocol.js";
import { type FabricGraph, fabricGraph, type GraphEnd, type GraphLink } from "./fabric-graph.js";
import { type Box, type Layout, type Line, layOut } from "./layout.js";
import { routeText } from "./route-text.js";
import { element, escapeXml, STYLE, shorten } from "./svg.js";

/** What a drawing may show beside the fabric. */
export interface DrawOptions {
  /** A route to highlight and to list. */
  readonly route?: RouteResult | undefined;
}

const MARGIN = 32;
const HEAD = 44;
const ROW = 18;
const MIN_TEXT_WIDTH = 620;
/** So many lines are drawn fainter. */
const MANY_LINES = 150;

/**
 * Draws a fabric as SVG: switches in layers above their hosts, names, LIDs, port numbers and rates; links that are down dashed. More than 40
 * hosts are drawn as one card for each leaf switch. Equal input gives equal text.
 */
export function drawFabric(status: FabricStatus, { route }: DrawOptions = {}): string {
  const graph = fabricGraph(status);
  const layout = layOut(graph);
  const routeLines = route === undefined ? [] : routeText(status, route);
  const onRoute = route === undefined ? new Set<string>() : new Set(route.hops.flatMap(({ from, to }) => [from, to]));
  const width = Math.max(layout.width, routeLines.length > 0 ? MIN_TEXT_WIDTH : 360) + 2 * MARGIN;
  const routeTop = HEAD + MARGIN + layout.height + 40;
  const height = routeTop + (routeLines.length > 0 ? (routeLines.length + 1) * ROW : 0);
  const left = (width - layout.width) / 2;
  const isOnRoute = (end: GraphEnd) => onRoute.has(`${end.node.status.id}[${String(end.port)}]`);
  const body = [
    element("rect", { class: "back", width, height }),
    element("text", { class: "title", x: MARGIN, y: 30 }, escapeXml(headline(status, graph))),
    `<g transform="translate(${String(round(left))} ${String(HEAD + MARGIN)})">`,
    ...drawLines(layout, (link) => isOnRoute(link.a) && isOnRoute(link.b)),
    ...layout.boxes.map((box) => drawBox(box, layout.isCollapsed, onRoute)),
    "</g>",
    ...routeLines.map((text, index) =>
      element("text", { class: "hop", x: MARGIN, y: routeTop + index * ROW }, escapeXml(text)),
    ),
  ];
  const size = `width="${String(round(width))}" height="${String(round(height))}" viewBox="0 0 ${String(round(width))} ${String(round(height))}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<svg xmlns="http://www.w3.org/2000/svg" ${size}>\n<style>${STYLE}</style>\n${body.join("\n")}\n</svg>\n`;
}

function headline({ counts }: FabricStatus, { links }: FabricGraph): string {
  const idle = links.filter(({ state }) => state === "idle").length;
  const parts = [
    `${String(counts.hosts)} hosts`,
    `${String(counts.switches)} switches`,
    `${String(links.length)} links`,
  ];
  if (counts.linksDown > 0) parts.push(`${String(counts.linksDown)} down (dashed)`);
  if (idle > 0) parts.push(`${String(idle)} not active (dotted)`);
  return parts.join(", ");
}

/** Where the cables of a box leave it: side by side, in the order of what they lead to. */
function anchors({ lines }: Layout): ReadonlyMap<Line, { readonly x1: number; readonly x2: number }> {
  const sides = new Map<string, { readonly line: Line; readonly own: Box; readonly other: Box }[]>();
  const numbers = new Map<Box, number>();
  const put = (line: Line, own: Box, other: Box, side: string) => {
    if (!numbers.has(own)) numbers.set(own, numbers.size);
    const key = `${String(numbers.get(own))} ${side}`;
    sides.set(key, [...(sides.get(key) ?? []), { line, own, other }]);
  };
  for (const line of lines) {
    put(line, line.from, line.to, "top");
    put(line, line.to, line.from, line.from.level === line.to.level ? "top" : "bottom");
  }
  const found = new Map<Line, { x1: number; x2: number }>();
  for (const ends of sides.values()) {
    ends.sort((a, b) => a.other.x - b.other.x);
    ends.forEach(({ line, own }, index) => {
      const x = own.x + (own.width * (index + 1)) / (ends.length + 1);
      const at = found.get(line) ?? { x1: Number.NaN, x2: Number.NaN };
      if (own === line.from && Number.isNaN(at.x1)) at.x1 = x;
      else at.x2 = x;
      found.set(line, at);
    });
  }
  return found;
}

function drawLines(layout: Layout, isOnRoute: (link: GraphLink) => boolean): readonly string[] {
  const places = anchors(layout);
  const drawn = layout.lines.map((line) => {
    const { x1, x2 } = places.get(line) ?? { x1: 0, x2: 0 };
    return { isRoute: line.links.some(isOnRoute), text: drawLine(layout, line, [x1, x2], isOnRoute) };
  });
  // The route lies above the rest.
  return [...drawn.filter(({ isRoute }) => !isRoute), ...drawn.filter(({ isRoute }) => isRoute)].map(
    ({ text }) => text,
  );
}

function drawLine(
  { lines, isCollapsed }: Layout,
  line: Line,
  [x1, x2]: readonly [number, number],
  isOnRoute: (link: GraphLink) => boolean,
): string {
  const { from, to, links } = line;
  const isFlat = from.level === to.level;
  const [y1, y2] = [from.y, isFlat ? to.y : to.y + to.height];
  const down = links.filter(({ state }) => state === "down").length;
  const classes = lines.length > MANY_LINES ? ["link", "many"] : ["link"];
  if (links.some(isOnRoute)) classes.push("route");
  if (down === links.length) classes.push("down");
  else if (links.every(({ state }) => state !== "active")) classes.push("idle");
  const start = `M${String(round(x1))} ${String(round(y1))}`;
  const end = `${String(round(x2))} ${String(round(y2))}`;
  const top = Math.min(y1, y2) - 36;
  const d = isFlat ? `${start} Q${String(round((x1 + x2) / 2))} ${String(round(top))} ${end}` : `${start} L${end}`;
  const title = element("title", {}, escapeXml(links.map(linkTitle).join("\n")));
  const parts = [element("path", { class: classes.join(" "), d }, title)];
  const [first] = links;
  if (!isCollapsed && first !== undefined) {
    const [low, high] = first.a.node === from.nodes[0] ? [first.a, first.b] : [first.b, first.a];
    const lean = isFlat ? 0 : (x2 - x1) / Math.max(1, y1 - y2);
    const label = (className: string, x: number, y: number, text: string) =>
      parts.push(element("text", { class: className, x, y }, escapeXml(text)));
    label("port", x1 + lean * 10 + 4, y1 - 6, String(low.port));
    label("port", x2 - lean * 12 + 4, isFlat ? y2 - 6 : y2 + 13, String(high.port));
    // A third of the way up: where lines of a switch have parted already.
    if (!isFlat) label("rate", x1 + (x2 - x1) * 0.38 + 4, y1 + (y2 - y1) * 0.38, first.rate);
  } else if (down > 0 && down < links.length) {
    const text = `${String(down)} of ${String(links.length)} down`;
    parts.push(element("text", { class: "rate", x: (x1 + x2) / 2, y: (y1 + y2) / 2 }, text));
  }
  return parts.join("\n");
}

function linkTitle({ a, b, rate, state }: GraphLink): string {
  return `${a.node.status.id}[${String(a.port)}] - ${b.node.status.id}[${String(b.port)}] ${rate} ${state}`;
}

function drawBox(box: Box, isCollapsed: boolean, onRoute: ReadonlySet<string>): string {
  const [first] = box.nodes;
  if (first === undefined) return "";
  const isRoute = box.nodes.some(({ status }) => status.ports.some(({ end }) => onRoute.has(end)));
  const classes = ["node", first.status.kind, ...(isRoute ? ["route"] : [])];
  const title = box.nodes
    .map(({ status, lid }) => `${status.id} "${status.description}" ${status.guid} LID ${String(lid)}`)
    .join("\n");
  const middle = box.x + box.width / 2;
  const rows = isCollapsed && first.level === 0 ? cardRows(box, onRoute) : boxRows(box);
  return [
    `<g class="${classes.join(" ")}">`,
    element("title", {}, escapeXml(title)),
    element("rect", { x: box.x, y: box.y, width: box.width, height: box.height, rx: 6 }),
    ...rows.map((text, index) =>
      element(
        "text",
        { class: index === 0 ? "name" : "detail", x: middle, y: box.y + 18 + index * 16 },
        escapeXml(shorten(text, Math.floor(box.width / 6.6))),
      ),
    ),
    "</g>",
  ].join("\n");
}

function boxRows({ nodes: [node] }: Box): readonly string[] {
  if (node === undefined) return [];
  const { id, description } = node.status;
  const isNumber = /^[A-Z]+-[0-9a-f]{12,}$/i.test(id);
  return [isNumber ? (description.split(" ")[0] ?? id) : id, node.lid === 0 ? "no LID" : `LID ${String(node.lid)}`];
}

/** How many hosts, from which to which, and the end of the route among them or those without a link. */
function cardRows({ nodes }: Box, onRoute: ReadonlySet<string>): readonly string[] {
  const ids = nodes.map(({ status }) => status.id);
  const lids = nodes.map(({ lid }) => lid).filter((lid) => lid !== 0);
  const chosen = nodes.find(({ status }) => status.ports.some(({ end }) => onRoute.has(end)));
  const down = nodes.filter(({ status }) => status.ports.some(({ state }) => state === "down"));
  const third =
    chosen !== undefined
      ? `${chosen.status.id} LID ${String(chosen.lid)}`
      : lids.length === 0
        ? "no LIDs"
        : `LID ${String(Math.min(...lids))}…${String(Math.max(...lids))}`;
  const count = `${String(nodes.length)} hosts${down.length > 0 ? `, ${String(down.length)} down` : ""}`;
  return [count, ids.length === 1 ? (ids[0] ?? "") : `${ids[0] ?? ""}…${ids.at(-1) ?? ""}`, third];
}

const round = (value: number): number => Math.round(value * 10) / 10;
