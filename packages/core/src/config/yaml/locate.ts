import { type Document, isMap, isNode, isScalar, isSeq, type LineCounter } from "yaml";
import type { KeyPath } from "./key-path.js";

/** Line of the key at `path`, or of the nearest parent that is there. */
export function lineOf(document: Document, lines: LineCounter, path: KeyPath): number | undefined {
  let node: unknown = document.contents;
  let offset: number | undefined;
  for (const part of path) {
    let next: unknown;
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(part));
      if (pair === undefined) break;
      if (isNode(pair.key) && pair.key.range) offset = pair.key.range[0];
      next = pair.value;
    } else if (isSeq(node)) {
      next = node.items[Number(part)];
      if (next === undefined) break;
      if (isNode(next) && next.range) offset = next.range[0];
    } else break;
    node = next;
  }
  return offset === undefined ? undefined : lines.linePos(offset).line;
}
