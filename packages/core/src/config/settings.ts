import { has } from "./check-input.js";
import type { DaemonConfig } from "./daemon-config.js";
import type { ConfigSources } from "./inspect-config.js";
import { OPTION_TABLE, type OptionSpec } from "./options/option-table.js";
import type { OptionsFile } from "./read-files.js";
import { type ConfigInput, type ConfigOutput, configSchema } from "./schema.js";
import { formatPath, type KeyPath } from "./yaml/key-path.js";
import type { YamlConfig } from "./yaml/read-yaml.js";
import { type SchemaShape, shapeOf, unwrap } from "./yaml/schema-shape.js";

/** One key in force. */
export interface ConfigSetting {
  /** Dotted path as in `verbena.yaml`. */
  readonly key: string;
  /** Absent = not set, and no default. */
  readonly value?: unknown;
  /** `default`, `FILE:LINE`, or what {@link ConfigSources.origin} says. */
  readonly origin: string;
}

interface SettingSources {
  readonly config: DaemonConfig;
  readonly parsed: ConfigOutput;
  readonly yaml: YamlConfig | undefined;
  readonly options: OptionsFile;
  readonly fromOptions: ConfigInput;
  readonly sources: ConfigSources;
}

/** Every key of the schema with the value in force and its origin, in the order of the documentation. */
export function listSettings(from: SettingSources): readonly ConfigSetting[] {
  const { config, parsed } = from;
  const effective = {
    ...config,
    chains: config.chains,
    providers: config.providers.map(({ package: name, options }) => ({ package: name, options })),
    files: {
      ...parsed.files,
      options: from.options.path,
      addresses: config.addresses.file,
    },
    addresses: { supportIps: config.addresses.supportIps },
  };
  return [...leaves(shapeOf(configSchema))].map((path): ConfigSetting => {
    const value = valueAt(effective, path);
    const origin = originOf(path, from);
    return { key: formatPath(path), origin, ...(value === undefined ? {} : { value }) };
  });
}

function* leaves(schema: SchemaShape, path: KeyPath = []): Generator<KeyPath> {
  const { entries } = unwrap(schema);
  if (entries === undefined) {
    yield path;
    return;
  }
  for (const [key, entry] of Object.entries(entries)) yield* leaves(entry, [...path, key]);
}

function valueAt(value: unknown, path: KeyPath): unknown {
  return path.reduce<unknown>((at, part) => (at as Readonly<Record<string, unknown>> | undefined)?.[part], value);
}

/** Keys of the command line that say the same as a key of the file. */
const CALLER_FILES: Readonly<Record<string, keyof ConfigSources>> = {
  "files.options": "options",
  "files.addresses": "addresses",
};

/** Options that decide a key of `verbena.yaml` which is not theirs alone. */
const DECIDING: Readonly<Record<string, readonly string[]>> = {
  "chains.route": ["route_prot"],
  "files.hosts": ["addr_preload", "addr_data_file"],
  "files.routeDump": ["route_preload", "route_data_file"],
  providers: ["resolve_depth", "send_depth", "recv_depth", "min_mtu", "min_rate", "timeout", "retries", "route_prot"],
};

function originOf(path: KeyPath, { yaml, options, fromOptions, sources }: SettingSources): string {
  const key = formatPath(path);
  const named = CALLER_FILES[key];
  if ((named !== undefined && sources[named] !== undefined) || has(sources.overrides, path)) {
    return sources.origin ?? "configuration";
  }
  if (yaml !== undefined && has(yaml.input, path)) return place(yaml.file, yaml.line(path));
  const lines = optionsOf(key).flatMap((option) => options.lines.get(option) ?? []);
  const isSet = has(fromOptions, path) || key in DECIDING;
  if (isSet && options.path !== undefined && lines.length > 0) return place(options.path, Math.max(...lines));
  return "default";
}

function optionsOf(key: string): readonly string[] {
  const own = Object.entries(OPTION_TABLE as Readonly<Record<string, OptionSpec<unknown>>>)
    .filter(([, { yaml }]) => yaml === key)
    .map(([option]) => option);
  return DECIDING[key] ?? own;
}

function place(file: string, line: number | undefined): string {
  return line === undefined ? file : `${file}:${String(line)}`;
}
