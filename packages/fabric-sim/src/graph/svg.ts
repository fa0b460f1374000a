/** Colours for light and dark surroundings. */
export const STYLE = `
text { font-family: "DejaVu Sans", Verdana, sans-serif; fill: #1f2933; }
.back { fill: #ffffff; }
.title { font-size: 14px; font-weight: bold; }
.name { font-size: 12px; font-weight: bold; text-anchor: middle; }
.detail { font-size: 11px; text-anchor: middle; fill: #52606d; }
.port, .rate { font-size: 9px; fill: #52606d; stroke: #ffffff; stroke-width: 3px; paint-order: stroke; }
.hop { font-size: 12px; font-family: "DejaVu Sans Mono", monospace; }
.node rect { fill: #f5f7fa; stroke: #7b8794; stroke-width: 1.2; }
.node.switch rect { fill: #dbe9f6; stroke: #2f6f9f; }
.node.route rect { stroke: #c2410c; stroke-width: 2.6; }
.link { fill: none; stroke: #9aa5b1; stroke-width: 1.3; }
.link.many { stroke-opacity: 0.4; stroke-width: 1; }
.link.idle { stroke-dasharray: 2 3; }
.link.down { stroke: #b42318; stroke-dasharray: 6 4; stroke-opacity: 1; }
.link.route { stroke: #c2410c; stroke-width: 3; stroke-opacity: 1; }
@media (prefers-color-scheme: dark) {
text, .hop { fill: #e4e7eb; }
.back { fill: #16202b; }
.detail { fill: #b8c2cc; }
.port, .rate { fill: #b8c2cc; stroke: #16202b; }
.node rect { fill: #243240; stroke: #7b8794; }
.node.switch rect { fill: #1d3b53; stroke: #5aa2d6; }
.node.route rect, .link.route { stroke: #fb923c; }
.link.down { stroke: #f97066; }
}
`;

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** Text for XML 1.0: names come from files and from the network, and XML has no place for most control characters. */
export function escapeXml(text: string): string {
  return text
    .replace(/[^\t\n\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd")
    .replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

/** At most so many characters; a cut text ends in `…`. */
export function shorten(text: string, length: number): string {
  const characters = Array.from(text);
  return characters.length <= length ? text : `${characters.slice(0, Math.max(1, length - 1)).join("")}…`;
}

/** An element; `content` is XML already, numbers are kept to a tenth. */
export function element(name: string, attributes: Readonly<Record<string, string | number>>, content = ""): string {
  const text = Object.entries(attributes)
    .map(
      ([key, value]) =>
        ` ${key}="${escapeXml(String(typeof value === "number" ? Math.round(value * 10) / 10 : value))}"`,
    )
    .join("");
  return content === "" ? `<${name}${text}/>` : `<${name}${text}>${content}</${name}>`;
}
