import { readFile } from "node:fs/promises";
import { dirname, isAbsolute, resolve } from "node:path";
import type { OptionNames } from "@verbena/ib";
import * as v from "valibot";
import { checkOptions } from "../check-options.js";
import { coreError } from "../errors.js";
import { type AddressLine, readAddresses } from "./addresses/read-addresses.js";
import type { AddressConfig, DaemonConfig } from "./daemon-config.js";
import { mergeInputs } from "./merge.js";
import { DEFAULT_PATHS, type OptionValues } from "./options/option-table.js";
import { readOptions } from "./options/read-options.js";
import { optionsToInput } from "./options/to-input.js";
import { planProviders } from "./providers.js";
import { type ConfigInput, type ConfigOutput, configSchema } from "./schema.js";
import { type Diagnostic, DiagnosticSink, formatDiagnostic } from "./text/diagnostic.js";
import { formatPath, type KeyPath } from "./yaml/key-path.js";
import type { YamlConfig } from "./yaml/read-yaml.js";
import { reportUnknownKeys } from "./yaml/unknown-keys.js";

/** Which files to read, and what goes over them. */
export interface ConfigSources {
  /** `verbena.yaml` (`--config`). With it ibacm's files are read only if it or the two members below name them. */
  readonly config?: string;
  /** `ibacm_opts.cfg` (`-O`). */
  readonly options?: string;
  /** `ibacm_addr.cfg` (`-A`). */
  readonly addresses?: string;
  /** Wins over all files: command line options, or the whole configuration of an embedding program. */
  readonly overrides?: ConfigInput;
  /** Read none of ibacm's files unless named. Default: false without `config`, true with it. */
  readonly ignoreDefaults?: boolean;
  /** Named in messages where `overrides` are wrong. Default: `configuration`. */
  readonly origin?: string;
}

const SOURCES: OptionNames<ConfigSources> = {
  config: true,
  options: true,
  addresses: true,
  overrides: true,
  ignoreDefaults: true,
  origin: true,
};

/** A configuration that can be used. */
export interface LoadedConfig {
  readonly config: DaemonConfig;
  /** Warnings and notes, in reading order. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads all files and makes one configuration of them. All problems of all files are collected first.
 * Rejects with VERBENA_OPTION_UNKNOWN and VERBENA_CONFIG_INVALID; `details.diagnostics` holds every {@link Diagnostic}, the message lists the errors.
 */
export async function loadConfig(sources: ConfigSources = {}): Promise<LoadedConfig> {
  checkOptions("loadConfig", sources, SOURCES);
  const sink = new DiagnosticSink();
  const { origin = "configuration" } = sources;
  const yaml = await loadYaml(sources.config, sink);
  const folder = yaml === undefined ? process.cwd() : dirname(resolve(yaml.file));
  const input = yaml === undefined ? {} : anchorPaths(yaml.input, folder);
  const ignoreDefaults = sources.ignoreDefaults ?? sources.config !== undefined;

  const named = stringAt(input, "options");
  const optionsFile = sources.options ?? named ?? (ignoreDefaults ? undefined : DEFAULT_PATHS.optionsFile);
  const options = await loadOptions(optionsFile, sources.options === undefined && named !== undefined, sink);

  // What a caller misspelt is refused like a misspelt line of a file.
  reportUnknownKeys(sources.overrides, origin, sink);
  const merged = mergeInputs<ConfigInput>(optionsToInput(options), input, sources.overrides ?? {});
  const parsed = check(merged, yaml, { input: sources.overrides, origin }, sink);
  if (parsed === undefined) throw invalid(sink);

  const addressFile =
    sources.addresses ?? parsed.files.addresses ?? (ignoreDefaults ? undefined : DEFAULT_PATHS.addressFile);
  const addresses = await loadAddresses(addressFile, parsed.addresses.supportIps, sink);
  if (sink.errors.length > 0) throw invalid(sink);

  const plan = planProviders(parsed, options, yaml?.file ?? "configuration", (index) =>
    yaml?.line(["providers", index]),
  );
  return { config: complete(parsed, plan, addresses, folder), diagnostics: sink.all };
}

function complete(
  parsed: ConfigOutput,
  plan: Pick<DaemonConfig, "chains" | "providers">,
  addresses: AddressConfig,
  folder: string,
): DaemonConfig {
  const { daemon, sa, resolver, files } = parsed;
  // Several daemons may serve sockets of their own on one host; they must not share ibacm's one lock and log.
  const own = daemon.socket;
  return {
    daemon: {
      ...daemon,
      logFile: daemon.logFile ?? (own === undefined ? DEFAULT_PATHS.logFile : "stderr"),
      lockFile: daemon.lockFile ?? (own === undefined ? DEFAULT_PATHS.lockFile : `${own}.pid`),
    },
    sa,
    resolver: { ...resolver, deadlineMs: resolver.deadlineMs ?? (sa.retries + 1) * sa.timeoutMs },
    caches: parsed.caches,
    chains: plan.chains,
    providers: plan.providers,
    preload: {
      ...(files.hosts === undefined ? {} : { hosts: files.hosts }),
      ...(files.routeDump === undefined ? {} : { routeDump: files.routeDump }),
    },
    addresses,
    native: Object.fromEntries(Object.entries(parsed.native).filter(([, path]) => path !== undefined)),
    folder,
  };
}

async function loadYaml(file: string | undefined, sink: DiagnosticSink): Promise<YamlConfig | undefined> {
  if (file === undefined) return undefined;
  const text = await readText(file, "error", sink);
  if (text === undefined) throw invalid(sink);
  // The YAML parser is the largest part of a start, and most daemons have no such file.
  const { readYaml } = await import("./yaml/read-yaml.js");
  return readYaml(text, file, sink);
}

async function loadOptions(file: string | undefined, isRequired: boolean, sink: DiagnosticSink): Promise<OptionValues> {
  if (file === undefined) return {};
  const text = await (isRequired ? readText(file, "error", sink) : readText(file, "note", sink, "defaults are used"));
  return text === undefined ? {} : readOptions(text, file, sink);
}

async function loadAddresses(
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

function check(
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

function has(input: unknown, path: KeyPath): boolean {
  let value = input;
  for (const part of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return false;
    value = (value as Readonly<Record<string | number, unknown>>)[part];
  }
  return true;
}

function stringAt(input: ConfigInput, key: "options"): string | undefined {
  const value: unknown = input.files?.[key];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Paths in `verbena.yaml` count from its folder. */
function anchorPaths(input: ConfigInput, folder: string): ConfigInput {
  const anchor = (value: unknown, words: readonly string[] = []): unknown =>
    typeof value !== "string" || value === "" || isAbsolute(value) || words.includes(value)
      ? value
      : resolve(folder, value);
  const sections: Readonly<Record<string, readonly string[]>> = {
    daemon: ["socket", "control", "runDirectory", "logFile", "lockFile"],
    files: ["options", "addresses", "hosts", "routeDump"],
  };
  const result: Record<string, unknown> = { ...input };
  for (const [name, keys] of Object.entries(sections)) {
    const section = result[name];
    if (typeof section !== "object" || section === null || Array.isArray(section)) continue;
    result[name] = Object.fromEntries(
      Object.entries(section).map(([key, value]) => [
        key,
        keys.includes(key) ? anchor(value, ["stdout", "stderr"]) : value,
      ]),
    );
  }
  return result;
}

function invalid(sink: DiagnosticSink) {
  return coreError("VERBENA_CONFIG_INVALID", {
    details: { problems: [...sink.errors, ...warnings(sink)].map(describe).join("\n"), diagnostics: sink.all },
  });
}

/** Whoever corrects the errors wants to see the rest in the same round. */
function warnings(sink: DiagnosticSink): readonly Diagnostic[] {
  return sink.all.filter(({ severity }) => severity === "warning");
}

function describe(diagnostic: Diagnostic): string {
  const { severity, message } = diagnostic;
  return formatDiagnostic(severity === "warning" ? { ...diagnostic, message: `warning: ${message}` } : diagnostic);
}
