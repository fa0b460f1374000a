import type {
  Endpoint,
  EndpointServices,
  EndpointSession,
  Port,
  PortEvent,
  PortServices,
  PortSession,
  ProviderHost,
} from "@verbena/core/sdk";
import { SaAddresses } from "./address/sa-addresses.js";
import type { SaProviderOptions } from "./options.js";
import { PortRegistry } from "./registry/port-registry.js";
import { RegistryAddresses } from "./registry/registry-addresses.js";
import { PortPaths } from "./route/port-paths.js";
import { SaRoutes } from "./route/sa-routes.js";
import { SaEndpointSession } from "./sa-endpoint-session.js";

/** The provider on one port: the tables belong to the port, all its endpoints share them. */
export class SaPortSession implements PortSession {
  readonly #addresses: SaAddresses;
  readonly #prefetched: PortPaths | undefined;
  readonly #routes: SaRoutes;
  readonly #registry: PortRegistry | undefined;

  constructor(
    port: Port,
    services: PortServices,
    host: Pick<ProviderHost, "clock" | "random" | "metrics">,
    options: SaProviderOptions,
  ) {
    this.#addresses = new SaAddresses(port, services.sa, host.clock, options.nodeTableTtlMs);
    this.#prefetched =
      options.prefetch === "port" ? new PortPaths(port, services.sa, host.clock, options.prefetchTtlMs) : undefined;
    this.#routes = new SaRoutes(services.sa, this.#prefetched);
    this.#registry = options.registry
      ? new PortRegistry({ port, services, routes: this.#routes, options, ...host })
      : undefined;
  }

  async openEndpoint(endpoint: Endpoint, { logger }: EndpointServices): Promise<EndpointSession> {
    const registry = this.#registry;
    if (registry === undefined) return new SaEndpointSession(this.#addresses, this.#routes);
    const registrar = registry.open(endpoint, logger);
    await registrar.opened;
    const addresses = new RegistryAddresses(registry.lookup, this.#addresses);
    return new SaEndpointSession(addresses, this.#routes, { registry, registrar });
  }

  /** A notice tells which entries may be wrong now; whatever else happened, the tables may be. */
  onEvent(event: PortEvent): void {
    if (event.type === "notice") {
      this.#addresses.onNotice(event.notice);
      this.#prefetched?.onNotice(event.notice);
      this.#registry?.lookup.onNotice(event.notice);
      return;
    }
    this.#addresses.forget();
    this.#prefetched?.forget();
    if (event.type === "flush") this.#registry?.lookup.forget();
    else this.#registry?.onChange();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }
}
