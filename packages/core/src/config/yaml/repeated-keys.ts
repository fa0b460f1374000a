import { type Document, isScalar, visit } from "yaml";

/**
 * Offsets of keys that stand twice in their section. The parser's own check compares each key with all before it, which takes minutes
 * for a long file of nonsense.
 */
export function repeatedKeys(document: Document): readonly number[] {
  const found: number[] = [];
  visit(document, {
    Map: (_, { items }) => {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (seen.has(key.value)) found.push(key.range?.[0] ?? 0);
        seen.add(key.value);
      }
    },
  });
  return found;
}
