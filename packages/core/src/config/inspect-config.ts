import { dirname, resolve } from "node:path";
import type { OptionNames } from "@verbena/ib";
import { checkOptions } from "../check-options.js";
import { addNames } from "./addresses/add-names.js";
import { checkInput } from "./check-input.js";
import type { AddressConfig, DaemonConfig } from "./daemon-config.js";
import { mergeInputs } from "./merge.js";
import { DEFAULT_PATHS } from "./options/option-table.js";
import { optionsToInput } from "./options/to-input.js";
import { BUILT_IN_PACKAGES, planProviders } from "./providers.js";
import { loadAddresses, loadOptions, loadYaml } from "./read-files.js";
import type { ConfigInput, ConfigOutput } from "./schema.js";
import { type ConfigSetting, listSettings } from "./settings.js";
import { type Diagnostic, DiagnosticSink } from "./text/diagnostic.js";
import { anchorPaths } from "./yaml/anchor-paths.js";
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

/** A file that was named, or is read unless another is named. */
export interface ConfigFile {
  readonly path: string;
  readonly isFound: boolean;
}

/** What the files say, usable or not. */
export interface InspectedConfig {
  /** Absent when there are errors among the diagnostics. */
  readonly config?: DaemonConfig;
  /** Errors, warnings and notes, in reading order. */
  readonly diagnostics: readonly Diagnostic[];
  /** Absent members were neither named nor to be read. */
  readonly files: { readonly config?: ConfigFile; readonly options?: ConfigFile; readonly addresses?: ConfigFile };
  /** Every key with its value in force and where that comes from; empty when the values cannot be used. */
  readonly settings: readonly ConfigSetting[];
}

/** How the files are read. */
export interface ConfigReading {
  /** Ends reading, also of a file that does not answer. */
  readonly signal?: AbortSignal;
}

const READING: OptionNames<ConfigReading> = { signal: true };

/**
 * Reads all files as {@link loadConfig} does, and tells what it found also when a daemon could not start with it: a file that cannot be
 * read is an error among the diagnostics. Rejects with VERBENA_OPTION_UNKNOWN and with the signal's reason.
 */
export async function inspectConfig(
  sources: ConfigSources = {},
  reading: ConfigReading = {},
): Promise<InspectedConfig> {
  checkOptions("loadConfig", sources, SOURCES);
  checkOptions("loadConfig: reading", reading, READING);
  const { signal } = reading;
  const sink = new DiagnosticSink();
  const { origin = "configuration" } = sources;
  const yaml = await loadYaml(sources.config, sink, signal);
  const configFile =
    sources.config === undefined ? {} : { config: { path: sources.config, isFound: yaml !== undefined } };
  if (sources.config !== undefined && yaml === undefined) {
    return { diagnostics: sink.all, files: configFile, settings: [] };
  }
  const folder = yaml === undefined ? process.cwd() : dirname(resolve(yaml.file));
  const input = yaml === undefined ? {} : anchorPaths(yaml.input, folder);
  const ignoreDefaults = sources.ignoreDefaults ?? sources.config !== undefined;

  const named = stringAt(input, "options");
  const optionsFile = sources.options ?? named ?? (ignoreDefaults ? undefined : DEFAULT_PATHS.optionsFile);
  const options = await loadOptions(optionsFile, sources.options === undefined && named !== undefined, sink, signal);

  // What a caller misspelt is refused like a misspelt line of a file.
  reportUnknownKeys(sources.overrides, origin, sink);
  const fromOptions = optionsToInput(options.values);
  const merged = mergeInputs<ConfigInput>(fromOptions, input, sources.overrides ?? {});
  const parsed = checkInput(merged, yaml, { input: sources.overrides, origin }, sink);
  const files = {
    ...configFile,
    ...(options.path === undefined ? {} : { options: { path: options.path, isFound: options.isFound } }),
  };
  if (parsed === undefined) return { diagnostics: sink.all, files, settings: [] };

  const addressFile =
    sources.addresses ?? parsed.files.addresses ?? (ignoreDefaults ? undefined : DEFAULT_PATHS.addressFile);
  const fromFile = await loadAddresses(addressFile, parsed.addresses.supportIps, sink, signal);
  const addresses = addNames(fromFile, parsed.addresses.names, {
    file: yaml?.file ?? origin,
    line: (index) => yaml?.line(["addresses", "names", index]),
    sink,
  });
  const plan = planProviders(parsed, options.values, yaml?.file ?? "configuration", (index) =>
    yaml?.line(["providers", index]),
  );
  const isRouteTtlSet = merged.caches?.route?.ttlMs !== undefined;
  const config = complete(parsed, plan, addresses, folder, isRouteTtlSet);
  return {
    ...(sink.errors.length > 0 ? {} : { config }),
    diagnostics: sink.all,
    files: {
      ...files,
      ...(addresses.file === undefined ? {} : { addresses: { path: addresses.file, isFound: addresses.isFound } }),
    },
    // A daemon does not ask.
    get settings() {
      return listSettings({ config, parsed, yaml, options, fromOptions, sources });
    },
  };
}

function complete(
  parsed: ConfigOutput,
  plan: Pick<DaemonConfig, "chains" | "providers">,
  addresses: AddressConfig,
  folder: string,
  isRouteTtlSet: boolean,
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
    resolver: { ...resolver, deadlineMs: resolver.deadlineMs ?? defaultDeadlineMs(sa, plan) },
    caches: parsed.caches,
    chains: plan.chains,
    providers: plan.providers,
    preload: {
      ...(files.hosts === undefined ? {} : { hosts: files.hosts }),
      ...(files.routeDump === undefined ? {} : { routeDump: files.routeDump }),
      routeTtlMs: isRouteTtlSet ? parsed.caches.route.ttlMs : "never",
    },
    addresses,
    native: Object.fromEntries(Object.entries(parsed.native).filter(([, path]) => path !== undefined)),
    rds: parsed.rds,
    folder,
  };
}

/** What ibacm adds to each wait for a peer on a subnet with the time-out that OpenSM gives, 18: 2^(18-8) milliseconds. */
const SUBNET_TIMEOUT_MS = 1_024;

/** As long as ibacm takes to ask for an address of its peers, where they are asked, else for a path of the SA. */
function defaultDeadlineMs(
  { retries, timeoutMs }: Pick<DaemonConfig["sa"], "retries" | "timeoutMs">,
  { chains, providers }: Pick<DaemonConfig, "chains" | "providers">,
): number {
  // Without a chain all providers that are listed are in it.
  const isAsked =
    chains.address?.includes("acm") ?? providers.some(({ package: name }) => name === BUILT_IN_PACKAGES["acm"]);
  return (retries + 1) * (timeoutMs + (isAsked ? SUBNET_TIMEOUT_MS : 0));
}

function stringAt(input: ConfigInput, key: "options"): string | undefined {
  const value: unknown = input.files?.[key];
  return typeof value === "string" && value !== "" ? value : undefined;
}
