import type { DependencyContainer } from "tsyringe";
import { coreError } from "../errors.js";
import type { AnyProvider, ProviderDefinition } from "../sdk/define-provider.js";
import type { ProviderManifest, ProviderRole } from "../sdk/manifest.js";
import type { ResolutionProvider } from "../sdk/provider.js";
import type { Logger } from "../sdk/services.js";
import { tokens } from "../sdk/tokens.js";
import type { DatagramTransport } from "../sdk/transport.js";
import { buildProvider } from "./build-provider.js";
import { checkDefinition } from "./check-manifest.js";
import { composeProvider } from "./composition.js";
import { loadProviderModule, type ProviderPlace } from "./load-module.js";
import { validateOptions } from "./provider-options.js";

/** One provider to have: a package to load, or a definition in hand. */
export interface ProviderRequest {
  readonly from: { readonly package: string } | { readonly definition: unknown };
  readonly options?: unknown;
  /** Where the request stands, for messages: `verbena.yaml:12`. */
  readonly where: string;
}

/** A provider at work. */
export interface LoadedProvider {
  readonly manifest: ProviderManifest;
  readonly provider: AnyProvider;
}

/** The providers of one application instance, in the order of the configuration. Closing disposes them in reverse order. */
export class ProviderRegistry implements AsyncDisposable {
  readonly #loaded: LoadedProvider[] = [];
  readonly #host: DependencyContainer;
  readonly #places: readonly ProviderPlace[];
  #closing: Promise<void> | undefined;

  private constructor(host: DependencyContainer, places: readonly ProviderPlace[]) {
    this.#host = host;
    this.#places = places;
  }

  /**
   * Checks every manifest and all options first, then builds one provider after the other. Whatever fails, nothing half-loaded
   * stays: those already built are disposed, and the coded error is thrown. With `role` those that have not declared it are left out.
   */
  static async load(
    host: DependencyContainer,
    requests: readonly ProviderRequest[],
    places: readonly ProviderPlace[],
    role?: ProviderRole,
  ): Promise<ProviderRegistry> {
    const registry = new ProviderRegistry(host, places);
    try {
      const checked = await registry.#check(requests);
      for (const { definition, options } of checked) {
        if (role === undefined || definition.manifest.roles.includes(role)) await registry.#build(definition, options);
      }
      return registry;
    } catch (error) {
      await registry.close();
      throw error;
    }
  }

  /** In the order of the configuration. */
  get loaded(): readonly LoadedProvider[] {
    return this.#loaded;
  }

  /** Providers that resolve addresses or routes, by name. */
  resolution(): ReadonlyMap<string, ResolutionProvider> {
    return new Map(
      this.#loaded.flatMap(({ manifest, provider }) =>
        "openPort" in provider ? [[manifest.name, provider] as const] : [],
      ),
    );
  }

  /** Carriers of datagrams, in order. */
  transports(): readonly DatagramTransport[] {
    return this.#loaded.flatMap(({ provider }) => ("transports" in provider ? provider.transports : []));
  }

  close(): Promise<void> {
    this.#closing ??= this.#dispose();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #check(
    requests: readonly ProviderRequest[],
  ): Promise<readonly { readonly definition: ProviderDefinition; readonly options: unknown }[]> {
    const names = new Map<string, string>();
    const checked: { definition: ProviderDefinition; options: unknown }[] = [];
    for (const { from, options, where } of requests) {
      const exported = "package" in from ? await loadProviderModule(from.package, this.#places) : from.definition;
      const definition = checkDefinition(exported, "package" in from ? `${where}: package "${from.package}"` : where);
      const { name } = definition.manifest;
      const other = names.get(name);
      if (other !== undefined) {
        throw coreError("VERBENA_PROVIDER_DUPLICATE", { details: { where, name, other } });
      }
      names.set(name, where);
      checked.push({ definition, options: await validateOptions(definition.manifest, options, where) });
    }
    return checked;
  }

  async #build(definition: ProviderDefinition, options: unknown): Promise<void> {
    const { manifest } = definition;
    const provider = await buildProvider(definition, composeProvider(this.#host, manifest.name, options));
    const missing = manifest.roles.map(memberOf).find((member) => !(member in provider));
    this.#loaded.push({ manifest, provider });
    if (missing !== undefined) {
      throw coreError("VERBENA_PROVIDER_MANIFEST", {
        details: {
          origin: `provider "${manifest.name}"`,
          what: `it declares the roles ${manifest.roles.join(", ")} but has no member ${missing}`,
        },
      });
    }
  }

  async #dispose(): Promise<void> {
    for (const { manifest, provider } of this.#loaded.toReversed()) {
      try {
        await provider[Symbol.asyncDispose]();
      } catch (error) {
        // The others still have to go, and the caller is on its way out.
        this.#host
          .resolve<Logger>(tokens.logger)
          .error("provider failed while closing", { provider: manifest.name, error });
      }
    }
  }
}

/** The member by which a provider fulfils a role. */
const memberOf = (role: ProviderRole): string => (role === "transport" ? "transports" : "openPort");
