import { didYouMean } from "@verbena/ib";
import type { Diagnostic, DiagnosticSink } from "../text/diagnostic.js";
import { type ConfigLine, configLines, LINE_LIMIT } from "../text/lines.js";
import type { OptionKind } from "./option-kinds.js";
import { OPTION_TABLE, type OptionKey, type OptionValues } from "./option-table.js";
import { readProviderLibPath, readProviderLine } from "./provider-lines.js";

const SPECIAL: Readonly<Record<string, (line: ConfigLine, file: string, sink: DiagnosticSink) => void>> = {
  provider: readProviderLine,
  provider_lib_path: readProviderLibPath,
};

/** Every key of the file, for suggestions. */
export const OPTION_KEYS: readonly string[] = [...Object.keys(OPTION_TABLE), ...Object.keys(SPECIAL)];

/** Line of the last usable value of each key, from 1; filled by the reader. */
export type OptionLines = Map<string, number>;

/**
 * Reads the text of an `ibacm_opts.cfg` as ibacm does: keys without case (`route_timeout` lower case only), a third word ignored,
 * later lines win; `lines` gets where each key stands. What ibacm would pass over in silence becomes a warning, what leaves no useful daemon an error.
 */
export function readOptions(
  text: string,
  file: string,
  sink: DiagnosticSink,
  lines: OptionLines = new Map(),
): OptionValues {
  const values: Partial<Record<OptionKey, unknown>> = {};
  // Held back until the end: a later line with a useful value makes up for it.
  const errors = new Map<string, Diagnostic>();
  for (const line of configLines(text, file, sink)) {
    const word = line.words[0] ?? "";
    const value = line.words[1];
    if (word.startsWith("#") || (value === undefined && !OPTION_KEYS.includes(word.toLowerCase()))) continue;
    const key = word.toLowerCase();
    const at = { file, line: line.number, key };
    if (value === undefined) {
      sink.add({ ...at, severity: "warning", message: `${word} has no value; the line is ignored` });
      continue;
    }
    const special = Object.hasOwn(SPECIAL, key) ? SPECIAL[key] : undefined;
    if (special !== undefined) {
      special(line, file, sink);
      continue;
    }
    if (!isOptionKey(key) || (key === "route_timeout" && word !== key)) {
      sink.add({ severity: "warning", file }, () => {
        const hint = didYouMean(word, OPTION_KEYS);
        const message = `unknown key ${clip(word)}; the line is ignored`;
        return { line: line.number, key, message, ...(hint === undefined ? {} : { hint }) };
      });
      continue;
    }
    const kind: OptionKind<unknown> = OPTION_TABLE[key].kind;
    const { value: read, warning, error, hint } = kind.read(value);
    const remark = { ...at, ...(hint === undefined ? {} : { hint }) };
    errors.delete(key);
    if (error !== undefined) errors.set(key, { ...remark, severity: "error", message: `${key}: ${error}` });
    if (warning !== undefined) sink.add({ ...remark, severity: "warning", message: `${key}: ${warning}` });
    if (read === undefined) continue;
    values[key] = read;
    lines.set(key, line.number);
  }
  for (const error of errors.values()) sink.add(error);
  const isUsable = checkServerPort(values as OptionValues, file, lines.get("server_port"), sink);
  if (!isUsable) delete values.server_port;
  return values as OptionValues;
}

/** The port counts only in the TCP modes; there a useless one is an error. */
function checkServerPort(values: OptionValues, file: string, line: number | undefined, sink: DiagnosticSink): boolean {
  const { server_port: port, server_mode: mode = OPTION_TABLE.server_mode.fallback } = values;
  if (port === undefined || (port >= 1 && port <= 65_535)) return true;
  sink.add({
    severity: mode === "unix" ? "warning" : "error",
    file,
    ...(line === undefined ? {} : { line }),
    key: "server_port",
    message: `server_port: ${String(port)} is not a TCP port (1 to 65535)${mode === "unix" ? "; not used in server_mode unix" : ""}`,
  });
  return false;
}

/** A line without white space may be as long as the file. */
function clip(word: string): string {
  return word.length <= LINE_LIMIT ? word : `${word.slice(0, LINE_LIMIT)}…`;
}

function isOptionKey(key: string): key is OptionKey {
  return Object.hasOwn(OPTION_TABLE, key);
}
