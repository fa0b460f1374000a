// Places in the bundle as places in the sources. Done on the host: reading the map takes the machine most of a minute.
import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { dirname, join, relative } from "node:path";
import { literal } from "../literal.mjs";

/** A function that translates stacks of `bundle`, a full path with its map beside it, to paths from `root`. */
export function stackTranslator(bundle, root) {
  let map;
  const translate = (place, line, column) => {
    map ??= new SourceMap(JSON.parse(readFileSync(`${bundle}.map`, "utf8")));
    const { originalSource, originalLine, originalColumn } = map.findEntry(Number(line) - 1, Number(column) - 1);
    if (originalSource === undefined) return place;
    return `${relative(root, join(dirname(bundle), originalSource))}:${originalLine + 1}:${originalColumn + 1}`;
  };
  const places = new RegExp(`${literal(bundle)}:(\\d+):(\\d+)`, "g");
  return (stack) => stack.replaceAll(places, translate);
}
