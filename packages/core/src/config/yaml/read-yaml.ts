import { LineCounter, parseDocument } from "yaml";
import type { ConfigInput } from "../schema.js";
import type { DiagnosticSink } from "../text/diagnostic.js";
import type { KeyPath } from "./key-path.js";
import { lineOf } from "./locate.js";
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
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  for (const { pos, message } of [...document.errors, ...document.warnings]) {
    sink.add({ severity: "error", file, line: lines.linePos(pos[0]).line, message });
  }
  const line = (path: KeyPath) => lineOf(document, lines, path);
  if (document.errors.length > 0) return { file, input: {}, line };
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 }) ?? {};
  } catch (error) {
    sink.add({ severity: "error", file, message: error instanceof Error ? error.message : String(error) });
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
  return { file, input: value as ConfigInput, line };
}
