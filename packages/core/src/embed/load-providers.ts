import { VerbenaError } from "@verbena/ib";
import type { DependencyContainer } from "tsyringe";
import type { DaemonConfig, ProviderEntry } from "../config/daemon-config.js";
import { builtInName } from "../config/providers.js";
import { loadProviderModule, type ProviderPlace } from "../host/load-module.js";
import { ProviderRegistry, type ProviderRequest } from "../host/provider-registry.js";
import type { ProviderRole } from "../sdk/manifest.js";
import type { Logger } from "../sdk/services.js";

/** Providers at work and the order they are asked in. */
export interface ProviderSet {
  readonly registry: ProviderRegistry;
  readonly chains: { readonly address: readonly string[]; readonly route: readonly string[] };
}

/**
 * Loads the providers of the configuration and those handed in. One that only follows from ibacm's defaults may be missing: it is
 * left out of the chains with a log line.
 */
export async function loadProviders(
  config: Pick<DaemonConfig, "providers" | "chains">,
  further: readonly ProviderRequest[],
  places: readonly ProviderPlace[],
  host: DependencyContainer,
  logger: Logger,
): Promise<ProviderSet> {
  const wanted: ProviderEntry[] = [];
  for (const entry of config.providers) {
    if (isReplaced(entry, further)) continue;
    if (!entry.isOptional || (await isInstalled(entry.package, places, logger))) wanted.push(entry);
  }
  const listed = wanted.map(
    (entry): ProviderRequest => ({ from: { package: entry.package }, options: entry.options, where: entry.where }),
  );
  const registry = await ProviderRegistry.load(host, [...listed, ...further], places);
  const loaded = new Set(registry.resolution().keys());
  const hasOptional = config.providers.some(({ isOptional }) => isOptional);
  const chain = (role: Extract<ProviderRole, "address" | "route">): readonly string[] => {
    const named = config.chains[role];
    if (named === undefined) return withRole(registry, role);
    return hasOptional ? named.filter((name) => loaded.has(name) || name !== "acm") : named;
  };
  return { registry, chains: { address: chain("address"), route: chain("route") } };
}

/** What a program hands in is what its chains mean. */
function isReplaced(entry: ProviderEntry, further: readonly ProviderRequest[]): boolean {
  const name = builtInName(entry);
  if (name === undefined) return false;
  return further.some(({ from }) =>
    "package" in from ? from.package === entry.package : nameOf(from.definition) === name,
  );
}

/** A definition is checked later; here it may still be anything. */
function nameOf(definition: unknown): unknown {
  return (definition as { readonly manifest?: { readonly name?: unknown } } | undefined)?.manifest?.name;
}

function withRole(registry: ProviderRegistry, role: ProviderRole): readonly string[] {
  return registry.loaded.filter(({ manifest }) => manifest.roles.includes(role)).map(({ manifest }) => manifest.name);
}

async function isInstalled(specifier: string, places: readonly ProviderPlace[], logger: Logger): Promise<boolean> {
  try {
    await loadProviderModule(specifier, places);
    return true;
  } catch (error) {
    if (!VerbenaError.is(error, "VERBENA_PROVIDER_NOT_FOUND")) throw error;
    logger.info(`${specifier} is not installed: its part is done by the other providers`, { package: specifier });
    return false;
  }
}
