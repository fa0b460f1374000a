import { readAddresses } from "../addresses/read-addresses.js";
import { invalidConfig } from "../load-config.js";
import { OPTION_TABLE } from "../options/option-table.js";
import { type OptionLines, readOptions } from "../options/read-options.js";
import { type Diagnostic, DiagnosticSink, formatDiagnostic } from "../text/diagnostic.js";
import { convertedInput } from "./converted-input.js";
import { optionComments } from "./option-comments.js";

/** ibacm's files to convert. `text` absent: the file is not there. */
export interface ConvertSources {
  readonly options?: { readonly file: string; readonly text?: string };
  readonly addresses?: { readonly file: string; readonly text?: string };
  /** What relative paths in the options file count from. Default: the working directory. */
  readonly folder?: string;
}

/** A `verbena.yaml` that says the same. */
export interface ConvertedConfig {
  readonly yaml: string;
  /** Warnings and notes about the files, in reading order. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Makes a `verbena.yaml` of ibacm's files: loading it gives the configuration that loading them gives. Comments are kept beside their
 * keys; lines without an effect become comments that say why. Rejects with VERBENA_CONFIG_INVALID where the files have errors.
 */
export async function convertConfig(sources: ConvertSources): Promise<ConvertedConfig> {
  const { options, addresses, folder = process.cwd() } = sources;
  const ofOptions = new DiagnosticSink();
  const ofAddresses = new DiagnosticSink();
  const lines: OptionLines = new Map();
  const values = options?.text === undefined ? {} : readOptions(options.text, options.file, ofOptions, lines);
  const supportIps = values.support_ips_in_addr_cfg ?? OPTION_TABLE.support_ips_in_addr_cfg.fallback;
  const names =
    addresses?.text === undefined
      ? undefined
      : readAddresses(addresses.text, addresses.file, ofAddresses, { supportIps });
  const diagnostics = [...ofOptions.all, ...ofAddresses.all];
  if (diagnostics.some(({ severity }) => severity === "error")) throw invalidConfig(diagnostics);
  const { writeYaml } = await import("./write-yaml.js");
  const yaml = writeYaml({
    input: convertedInput(values, names, addresses?.file, folder),
    from: [options, addresses].flatMap((source) => (source?.text === undefined ? [] : [source.file])),
    comments: optionComments(options?.text ?? "", lines, ofOptions.all),
    addressRemarks: ofAddresses.all.map(formatDiagnostic),
  });
  return { yaml, diagnostics };
}
