import type { ProviderManifest } from "./manifest.js";
import type { ResolutionProvider } from "./provider.js";
import type { ProviderHost } from "./tokens.js";
import type { TransportProvider } from "./transport.js";

/** Marks a definition. A registered symbol: two copies of the SDK may be loaded, so `instanceof` says nothing. */
export const PROVIDER_BRAND = Symbol.for("verbena.provider");

/** What a provider may turn out to be. */
export type AnyProvider = ResolutionProvider | TransportProvider;

/** A class whose constructor names each parameter with `@inject(tokens.…)`. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- parameters are filled by token, their types are the author's own
export type ProviderClass = new (...args: any[]) => AnyProvider;

/** Gets the host services as one object. */
export type ProviderFactory = (host: ProviderHost) => AnyProvider | Promise<AnyProvider>;

/** What a provider package exports by default. */
export interface ProviderDefinition {
  readonly [PROVIDER_BRAND]: true;
  readonly manifest: ProviderManifest;
  readonly provider: ProviderClass | ProviderFactory;
}

/**
 * Declares a provider. The host checks the manifest before any code of the provider runs; nothing is started here.
 *
 * @example
 * export default defineProvider({
 *   manifest: { name: "static", version: "1.0.0", sdk: "^1.0", roles: ["address"] },
 *   provider: (host) => new StaticProvider(host.options),
 * });
 */
export function defineProvider(definition: {
  readonly manifest: ProviderManifest;
  readonly provider: ProviderClass | ProviderFactory;
}): ProviderDefinition {
  return Object.freeze({
    [PROVIDER_BRAND]: true as const,
    manifest: definition.manifest,
    provider: definition.provider,
  });
}
