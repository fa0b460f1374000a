import { type Document, LineCounter, parseDocument, visit } from "yaml";
import { type ConfigInput, configSchema } from "../schema.js";
import type { DiagnosticSink } from "../text/diagnostic.js";
import type { KeyPath } from "./key-path.js";
import { lineOf } from "./locate.js";
import { repeatedKeys } from "./repeated-keys.js";
import { type SchemaShape, shapeOf, unwrap } from "./schema-shape.js";
import { reportUnknownKeys } from "./unknown-keys.js";

/** A parsed `verbena.yaml`. Values are not checked yet: that happens once, after merging. */
export interface YamlConfig {
  readonly file: string;
  readonly input: ConfigInput;
  /** Line of a key, or of its nearest parent. */
  line(path: KeyPath): number | undefined;
}

/** Reads the text of a `verbena.yaml`. Syntax errors and unknown keys go to the sink as errors. */
export function readYaml(text: string, file: string, sink: DiagnosticSink): YamlConfig {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  for (const { pos, message } of [...document.errors, ...document.warnings]) {
    sink.add({ severity: "error", file, line: lines.linePos(pos[0]).line, message });
  }
  const line = (path: KeyPath) => lineOf(document, lines, path);
  if (document.errors.length > 0) return { file, input: {}, line };
  let value: unknown;
  try {
    for (const at of repeatedKeys(document)) {
      sink.add({ severity: "error", file }, () => ({
        line: lines.linePos(at).line,
        message: "Map keys must be unique",
      }));
    }
    value = document.toJS({ maxAliasCount: 100 }) ?? {};
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const at = firstUnresolvedAlias(document);
    sink.add({ severity: "error", file, ...(at === undefined ? {} : { line: lines.linePos(at).line }), message });
    return { file, input: {}, line };
  }
  if (typeof value !== "object" || Array.isArray(value)) {
    sink.add({
      severity: "error",
      file,
      line: 1,
      message: "the file must be a list of sections (daemon:, caches:, …)",
    });
    return { file, input: {}, line };
  }
  reportUnknownKeys(value, file, sink, line);
  return { file, input: fillEmptySections(value, shapeOf(configSchema)) as ConfigInput, line };
}

/** A section whose keys are all commented out (`sa:` and nothing) is an empty section, not a value. */
function fillEmptySections(value: unknown, schema: SchemaShape): unknown {
  const { entries, item } = unwrap(schema);
  if (value === null && entries !== undefined) return {};
  if (value === null && item !== undefined) return [];
  if (typeof value !== "object" || value === null || Array.isArray(value) || entries === undefined) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => {
      const known = Object.hasOwn(entries, key) ? entries[key] : undefined;
      return [key, known === undefined ? child : fillEmptySections(child, known)];
    }),
  );
}

/** Offset of the first alias without an anchor before it; the parser finds it only when it makes values, and does not say where. */
function firstUnresolvedAlias(document: Document): number | undefined {
  let at: number | undefined;
  visit(document, {
    Alias: (_, alias) => {
      if (alias.resolve(document) !== undefined) return undefined;
      at = alias.range?.[0];
      return visit.BREAK;
    },
  });
  return at;
}
