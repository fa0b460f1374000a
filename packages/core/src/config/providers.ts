import type { DaemonConfig, ProviderEntry } from "./daemon-config.js";
import type { OptionKey, OptionValues } from "./options/option-table.js";
import { OPTION_TABLE } from "./options/option-table.js";
import type { ConfigOutput } from "./schema.js";

/** Chains and providers as the engine's composition takes them. */
export interface ProviderPlan {
  readonly chains: DaemonConfig["chains"];
  readonly providers: readonly ProviderEntry[];
}

/** Names that need no `providers` entry. */
export const BUILT_IN_PACKAGES: Readonly<Record<string, string>> = {
  acm: "@verbena/provider-acm",
  sa: "@verbena/provider-sa",
};

/** Where a provider stands that only a chain brings along. */
const BUILT_IN = "built-in providers";

/** Name of a built-in provider that a chain has brought along; `undefined` for one that the configuration lists. */
export function builtInName({ package: specifier, where }: ProviderEntry): string | undefined {
  if (where !== BUILT_IN) return undefined;
  return Object.keys(BUILT_IN_PACKAGES).find((name) => BUILT_IN_PACKAGES[name] === specifier);
}

/**
 * Which providers there are and in which order they are asked. Without `providers:` those of ibacm's options: `addr_prot acm` and
 * `route_prot`. A chain that names a built-in provider brings it along.
 */
export function planProviders(
  config: ConfigOutput,
  options: OptionValues,
  file: string,
  line: (index: number) => number | undefined,
): ProviderPlan {
  const { address, route } = config.chains;
  const isDefault = config.providers === undefined;
  const chains = {
    address: address ?? (isDefault ? ["acm", "sa"] : undefined),
    route: route ?? (isDefault ? defaultRoute(options) : undefined),
  };
  const { timeoutMs, retries } = config.sa;
  // Where the protocol's paths are used, it needs the group of the port's own rate and MTU, as in ibacm.
  const portGroup = chains.route === undefined || chains.route.includes("acm");
  const forAcm = { timeoutMs, retries, portGroup, ...acmOptions(options) };
  const optionsFor = (specifier: string, own: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
    specifier === BUILT_IN_PACKAGES["acm"] ? { ...forAcm, ...own } : own;
  const listed = (config.providers ?? []).map((entry, index): ProviderEntry => {
    const at = line(index);
    return {
      package: entry.package,
      options: optionsFor(entry.package, entry.options ?? {}),
      where: at === undefined ? file : `${file}:${String(at)}`,
      isOptional: entry.optional,
    };
  });
  const wanted = new Set([...(chains.address ?? []), ...(chains.route ?? [])]);
  const builtIn = Object.entries(BUILT_IN_PACKAGES)
    .filter(([name, pkg]) => wanted.has(name) && !listed.some((entry) => entry.package === pkg))
    .map(
      ([name, pkg]): ProviderEntry => ({
        package: pkg,
        options: optionsFor(pkg, {}),
        where: BUILT_IN,
        // A chain that only follows from ibacm's defaults must work where provider-acm is not installed.
        isOptional: name === "acm" && !(address?.includes(name) ?? false) && !(route?.includes(name) ?? false),
      }),
    );
  return { chains, providers: [...listed, ...builtIn] };
}

/** Route chain that `route_prot` stands for. */
export function defaultRoute(options: OptionValues): readonly string[] {
  return (options.route_prot ?? OPTION_TABLE.route_prot.fallback) === "acm" ? ["acm", "sa"] : ["sa"];
}

/** ibacm's keys that belong to the multicast protocol's provider, as its options: those that a file sets. */
export function acmOptions(options: OptionValues): Readonly<Record<string, number>> {
  const named = Object.entries(ACM_OPTIONS).map(([key, option]) => [option, options[key as keyof typeof ACM_OPTIONS]]);
  return Object.fromEntries(named.filter(([, value]) => value !== undefined)) as Record<string, number>;
}

const ACM_OPTIONS = {
  resolve_depth: "resolveDepth",
  send_depth: "sendDepth",
  recv_depth: "recvDepth",
  min_mtu: "minMtuBytes",
  min_rate: "minRateGbps",
} as const satisfies Partial<Record<OptionKey, string>>;
