import { nearest } from "../text/nearest.js";
import type { KeyPath } from "./key-path.js";
import { type SchemaShape, unwrap } from "./schema-shape.js";

/** A key the schema does not know, and the one that was probably meant. */
export interface UnknownKey {
  readonly path: KeyPath;
  readonly nearest?: string;
  readonly valid: readonly string[];
}

/** Every unknown key of a parsed document; valibot itself would report only the first. */
export function* unknownKeys(value: unknown, schema: SchemaShape, path: KeyPath = []): Generator<UnknownKey> {
  const shape = unwrap(schema);
  if (Array.isArray(value)) {
    if (shape.item === undefined) return;
    for (const [index, element] of value.entries()) yield* unknownKeys(element, shape.item, [...path, index]);
    return;
  }
  if (typeof value !== "object" || value === null || shape.entries === undefined) return;
  const valid = Object.keys(shape.entries);
  for (const [key, child] of Object.entries(value)) {
    const entry = Object.hasOwn(shape.entries, key) ? shape.entries[key] : undefined;
    if (entry !== undefined) {
      yield* unknownKeys(child, entry, [...path, key]);
      continue;
    }
    const near = nearest(key, valid);
    yield { path: [...path, key], valid, ...(near === undefined ? {} : { nearest: near }) };
  }
}
