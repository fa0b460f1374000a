import type { RouteResult } from "@verbena/fabric-sim";

const END = /^(.*)\[(\d+)\]$/;

/**
 * A route as boxes in a row, the ports at the ends of the cables:
 *
 *     ┌────┐     ┌────┐     ┌────┐
 *     │ H1 ├1───1┤ L1 ├2───1┤ H2 │
 *     └────┘     └────┘     └────┘
 */
export function drawRoute({ hops }: Pick<RouteResult, "hops">, label: (node: string) => string = (id) => id): string {
  const [top, middle, bottom]: [string[], string[], string[]] = [[], [], []];
  const add = (above: string, text: string, below: string): void => {
    top.push(above);
    middle.push(text);
    bottom.push(below);
  };
  const box = (name: string, hasLeft: boolean, hasRight: boolean): void => {
    const rule = "─".repeat(name.length + 2);
    add(`┌${rule}┐`, `${hasLeft ? "┤" : "│"} ${name} ${hasRight ? "├" : "│"}`, `└${rule}┘`);
  };
  hops.forEach(({ from, to }, index) => {
    const [node, port] = split(from);
    const cable = `${port}───${split(to)[1]}`;
    box(label(node), index > 0, true);
    add(" ".repeat(cable.length), cable, " ".repeat(cable.length));
  });
  const last = hops.at(-1);
  if (last === undefined) return "";
  box(label(split(last.to)[0]), true, false);
  return [top, middle, bottom].map((cells) => `${cells.join("").trimEnd()}\n`).join("");
}

/** `H1[2]` -> `H1`, `2`. */
function split(end: string): readonly [string, string] {
  const [, node = end, port = "?"] = END.exec(end) ?? [];
  return [node, port];
}
