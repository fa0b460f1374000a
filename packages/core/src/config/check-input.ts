import * as v from "valibot";
import { type ConfigInput, type ConfigOutput, configSchema } from "./schema.js";
import type { DiagnosticSink } from "./text/diagnostic.js";
import { formatPath, type KeyPath } from "./yaml/key-path.js";
import type { YamlConfig } from "./yaml/read-yaml.js";

/** Checks the merged input and fills in the schema's defaults. What is wrong goes to the sink, with the place it stands in. */
export function checkInput(
  merged: ConfigInput,
  yaml: YamlConfig | undefined,
  caller: { readonly input: ConfigInput | undefined; readonly origin: string },
  sink: DiagnosticSink,
): ConfigOutput | undefined {
  const result = v.safeParse(configSchema, merged);
  const said = new Set<string>();
  for (const issue of result.issues ?? []) {
    const path: KeyPath = (issue.path ?? []).map((item) => item.key as string | number);
    const key = formatPath(path);
    const isOverride = caller.input !== undefined && has(caller.input, path);
    const line = isOverride ? undefined : yaml?.line(path);
    const received = issue.received === "undefined" ? "is missing" : `${issue.message}, not ${issue.received}`;
    // A value can fail several checks that say the same (`.inf` is neither whole nor small enough).
    const message = `${key}: ${received}`;
    if (said.has(message)) continue;
    said.add(message);
    sink.add({
      severity: "error",
      file: isOverride || yaml === undefined ? caller.origin : yaml.file,
      ...(line === undefined ? {} : { line }),
      key,
      message,
    });
  }
  return result.success ? result.output : undefined;
}

/** Whether an input says something at a path. */
export function has(input: unknown, path: KeyPath): boolean {
  let value = input;
  for (const part of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return false;
    value = (value as Readonly<Record<string | number, unknown>>)[part];
  }
  return true;
}
