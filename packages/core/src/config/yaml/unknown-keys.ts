import { didYouMean } from "@verbena/ib";
import { configSchema } from "../schema.js";
import type { DiagnosticSink } from "../text/diagnostic.js";
import { formatPath, type KeyPath } from "./key-path.js";
import { type SchemaShape, shapeOf, unwrap } from "./schema-shape.js";

/** A key the schema does not know, and those it knows there. */
interface UnknownKey {
  readonly path: KeyPath;
  readonly valid: readonly string[];
}

/** Reports every key of a configuration that the schema does not know, as errors. `line`: where a key stands, if that is known. */
export function reportUnknownKeys(
  input: unknown,
  file: string,
  sink: DiagnosticSink,
  line: (path: KeyPath) => number | undefined = () => undefined,
): void {
  for (const { path, valid } of unknownKeys(input, shapeOf(configSchema))) {
    sink.add({ severity: "error", file }, () => {
      const at = line(path);
      const key = formatPath(path);
      const hint = didYouMean(String(path.at(-1)), valid) ?? `valid here: ${valid.join(", ")}`;
      return { ...(at === undefined ? {} : { line: at }), key, message: `${key}: unknown key`, hint };
    });
  }
}

/** Every unknown key of a parsed document; valibot itself would report only the first. */
function* unknownKeys(value: unknown, schema: SchemaShape, path: KeyPath = []): Generator<UnknownKey> {
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
    yield { path: [...path, key], valid };
  }
}
