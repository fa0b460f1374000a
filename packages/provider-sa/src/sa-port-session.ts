import type {
  Clock,
  Endpoint,
  EndpointSession,
  Port,
  PortEvent,
  PortServices,
  PortSession,
  SessionState,
} from "@verbena/core/sdk";
import { SaAddresses } from "./address/sa-addresses.js";
import type { SaProviderOptions } from "./options.js";
import { PortPaths } from "./route/port-paths.js";
import { SaRoutes } from "./route/sa-routes.js";

/** The provider on one port: the tables belong to the port, all its endpoints share them. */
export class SaPortSession implements PortSession {
  readonly #addresses: SaAddresses;
  readonly #prefetched: PortPaths | undefined;
  readonly #routes: SaRoutes;

  constructor(port: Port, services: PortServices, clock: Clock, options: SaProviderOptions) {
    this.#addresses = new SaAddresses(port, services.sa, clock, options.nodeTableTtlMs);
    this.#prefetched =
      options.prefetch === "port" ? new PortPaths(port, services.sa, clock, options.prefetchTtlMs) : undefined;
    this.#routes = new SaRoutes(services.sa, this.#prefetched);
  }

  openEndpoint(_endpoint: Endpoint): Promise<EndpointSession> {
    return Promise.resolve(new SaEndpointSession(this.#addresses, this.#routes));
  }

  /** Whatever happened, the tables may be wrong now. */
  onEvent(_event: PortEvent): void {
    this.#addresses.forget();
    this.#prefetched?.forget();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }
}

/** Nothing has to be joined: an endpoint is ready at once, and the SA learns nothing of its addresses. */
class SaEndpointSession implements EndpointSession {
  readonly state: SessionState = "ready";
  readonly address: SaAddresses;
  readonly route: SaRoutes;

  constructor(address: SaAddresses, route: SaRoutes) {
    this.address = address;
    this.route = route;
  }

  onState(): () => void {
    return () => undefined;
  }

  addAddress(): Promise<void> {
    return Promise.resolve();
  }

  removeAddress(): Promise<void> {
    return Promise.resolve();
  }

  counters(): Readonly<Record<string, number>> {
    return {};
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }
}
