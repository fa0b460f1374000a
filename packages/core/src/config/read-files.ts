import { VerbenaError } from "@verbena/ib";
import { readUserFile } from "../files/read-user-file.js";
import type { AddressLine } from "./addresses/address-list.js";
import { readAddresses } from "./addresses/read-addresses.js";
import type { AddressConfig } from "./daemon-config.js";
import type { OptionValues } from "./options/option-table.js";
import { type OptionLines, readOptions } from "./options/read-options.js";
import type { DiagnosticSink } from "./text/diagnostic.js";
import type { YamlConfig } from "./yaml/read-yaml.js";

/** Limits of the files that are read whole, bytes: what belongs to one host is far below. YAML takes longer to read. */
export const MAX_CONFIG_BYTES = { lines: 32 * 1024 * 1024, yaml: 1024 * 1024 } as const;

/**
 * The text of an options or address file, read as a daemon reads it. Rejects with VERBENA_FILE_KIND for anything but a regular file,
 * VERBENA_FILE_SIZE, the system's error, and the signal's reason.
 */
export function readConfigText(file: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<string> {
  return readUserFile(file, { maxBytes: MAX_CONFIG_BYTES.lines, signal });
}

/** An options file as read; `path` absent when none was to be read. */
export interface OptionsFile {
  readonly path?: string;
  readonly isFound: boolean;
  readonly values: OptionValues;
  /** Where each key stands. */
  readonly lines: OptionLines;
}

/** Reads a `verbena.yaml`. `undefined` when none is named or it cannot be read; the sink then has the error. */
export async function loadYaml(
  file: string | undefined,
  sink: DiagnosticSink,
  signal: AbortSignal | undefined,
): Promise<YamlConfig | undefined> {
  if (file === undefined) return undefined;
  const text = await readText({ file, whenMissing: "error", maxBytes: MAX_CONFIG_BYTES.yaml, signal }, sink);
  if (text === undefined) return undefined;
  // The YAML parser is the largest part of a start, and most daemons have no such file.
  const { readYaml } = await import("./yaml/read-yaml.js");
  return readYaml(text, file, sink);
}

/** Reads an options file; a missing one is an error only if it is required. */
export async function loadOptions(
  path: string | undefined,
  isRequired: boolean,
  sink: DiagnosticSink,
  signal: AbortSignal | undefined,
): Promise<OptionsFile> {
  const lines: OptionLines = new Map();
  if (path === undefined) return { isFound: false, values: {}, lines };
  const missing = isRequired
    ? ({ whenMissing: "error" } as const)
    : ({ whenMissing: "note", consequence: "defaults are used" } as const);
  const text = await readText({ file: path, ...missing, maxBytes: MAX_CONFIG_BYTES.lines, signal }, sink);
  return {
    path,
    isFound: text !== undefined,
    values: text === undefined ? {} : readOptions(text, path, sink, lines),
    lines,
  };
}

/** Reads an address file; a missing one is a note. */
export async function loadAddresses(
  file: string | undefined,
  supportIps: boolean,
  sink: DiagnosticSink,
  signal: AbortSignal | undefined,
): Promise<AddressConfig> {
  if (file === undefined) return { supportIps, isFound: false, lines: [] };
  const text = await readText(
    { file, whenMissing: "note", consequence: "default names are used", maxBytes: MAX_CONFIG_BYTES.lines, signal },
    sink,
  );
  const lines: readonly AddressLine[] = text === undefined ? [] : readAddresses(text, file, sink, { supportIps });
  return { supportIps, file, isFound: text !== undefined, lines };
}

interface Wanted {
  readonly file: string;
  /** Severity of the remark that a missing file makes; other problems are errors. */
  readonly whenMissing: "error" | "note";
  readonly consequence?: string;
  readonly maxBytes: number;
  readonly signal: AbortSignal | undefined;
}

/** `undefined` after a problem, which the sink has then. Rejects only with the signal's reason. */
async function readText(
  { file, whenMissing, consequence, maxBytes, signal }: Wanted,
  sink: DiagnosticSink,
): Promise<string | undefined> {
  try {
    return await readUserFile(file, { maxBytes, signal });
  } catch (error) {
    signal?.throwIfAborted();
    if ((error as NodeJS.ErrnoException).code === "ENOENT") {
      const message = `the file is not there${consequence === undefined ? "" : `; ${consequence}`}`;
      sink.add({ severity: whenMissing, file, message });
    } else sink.add({ severity: "error", file, ...problem(error) });
    return undefined;
  }
}

function problem(error: unknown): { readonly message: string; readonly hint?: string } {
  if (!VerbenaError.is(error)) {
    return { message: `cannot be read: ${error instanceof Error ? error.message : String(error)}` };
  }
  const { code, message, hint } = error;
  return { message: `cannot be read: ${message} [${code}]`, ...(hint === undefined ? {} : { hint }) };
}
