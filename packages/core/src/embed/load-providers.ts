import { VerbenaError } from "@verbena/ib";
import type { DependencyContainer } from "tsyringe";
import type { DaemonConfig } from "../config/daemon-config.js";
import { loadProviderModule } from "../host/load-module.js";
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
  folders: readonly string[],
  host: DependencyContainer,
  logger: Logger,
): Promise<ProviderSet> {
  const wanted = config.providers.filter((entry) => !entry.isOptional || isInstalled(entry.package, folders, logger));
  const listed = wanted.map(
    (entry): ProviderRequest => ({ from: { package: entry.package }, options: entry.options, where: entry.where }),
  );
  const registry = await ProviderRegistry.load(host, [...listed, ...further], folders);
  const loaded = new Set(registry.resolution().keys());
  const hasOptional = config.providers.some(({ isOptional }) => isOptional);
  const chain = (role: Extract<ProviderRole, "address" | "route">): readonly string[] => {
    const named = config.chains[role];
    if (named === undefined) return withRole(registry, role);
    return hasOptional ? named.filter((name) => loaded.has(name) || name !== "acm") : named;
  };
  return { registry, chains: { address: chain("address"), route: chain("route") } };
}

function withRole(registry: ProviderRegistry, role: ProviderRole): readonly string[] {
  return registry.loaded.filter(({ manifest }) => manifest.roles.includes(role)).map(({ manifest }) => manifest.name);
}

function isInstalled(specifier: string, folders: readonly string[], logger: Logger): boolean {
  try {
    loadProviderModule(specifier, folders);
    return true;
  } catch (error) {
    if (!VerbenaError.is(error, "VERBENA_PROVIDER_NOT_FOUND")) throw error;
    logger.info(`${specifier} is not installed: its part is done by the other providers`, { package: specifier });
    return false;
  }
}
