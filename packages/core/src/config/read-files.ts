import { readFile } from "node:fs/promises";
import type { AddressLine } from "./addresses/address-list.js";
import { readAddresses } from "./addresses/read-addresses.js";
import type { AddressConfig } from "./daemon-config.js";
import type { OptionValues } from "./options/option-table.js";
import { type OptionLines, readOptions } from "./options/read-options.js";
import type { DiagnosticSink } from "./text/diagnostic.js";
import type { YamlConfig } from "./yaml/read-yaml.js";

/** An options file as read; `path` absent when none was to be read. */
export interface OptionsFile {
  readonly path?: string;
  readonly isFound: boolean;
  readonly values: OptionValues;
  /** Where each key stands. */
  readonly lines: OptionLines;
}

/** Reads a `verbena.yaml`. `undefined` when none is named or it cannot be read; the sink then has the error. */
export async function loadYaml(file: string | undefined, sink: DiagnosticSink): Promise<YamlConfig | undefined> {
  if (file === undefined) return undefined;
  const text = await readText(file, "error", sink);
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
): Promise<OptionsFile> {
  const lines: OptionLines = new Map();
  if (path === undefined) return { isFound: false, values: {}, lines };
  const text = await (isRequired ? readText(path, "error", sink) : readText(path, "note", sink, "defaults are used"));
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
): Promise<AddressConfig> {
  if (file === undefined) return { supportIps, isFound: false, lines: [] };
  const text = await readText(file, "note", sink, "default names are used");
  const lines: readonly AddressLine[] = text === undefined ? [] : readAddresses(text, file, sink, { supportIps });
  return { supportIps, file, isFound: text !== undefined, lines };
}

/** `undefined` after a problem: one that a missing file makes has the given severity, others are errors. */
async function readText(
  file: string,
  whenMissing: "error" | "note",
  sink: DiagnosticSink,
  consequence?: string,
): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isMissing = code === "ENOENT";
    sink.add({
      severity: isMissing ? whenMissing : "error",
      file,
      message: isMissing
        ? `the file is not there${consequence === undefined ? "" : `; ${consequence}`}`
        : `cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    });
    return undefined;
  }
}
