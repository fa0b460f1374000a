import type { AddressProvider, EndpointSession, LocalAddress, RouteProvider, SessionState } from "@verbena/core/sdk";
import type { PortRegistry } from "./registry/port-registry.js";
import type { Registrar } from "./registry/registrar.js";

/** Nothing has to be joined: an endpoint is ready at once. With a registry the SA is told of its addresses. */
export class SaEndpointSession implements EndpointSession {
  readonly state: SessionState = "ready";
  readonly address: AddressProvider;
  readonly route: RouteProvider;
  readonly #registered: { readonly registry: PortRegistry; readonly registrar: Registrar } | undefined;

  constructor(
    address: AddressProvider,
    route: RouteProvider,
    registered?: { readonly registry: PortRegistry; readonly registrar: Registrar },
  ) {
    this.address = address;
    this.route = route;
    this.#registered = registered;
  }

  onState(): () => void {
    return () => undefined;
  }

  addAddress(address: LocalAddress): Promise<void> {
    void this.#registered?.registrar.add(address);
    return Promise.resolve();
  }

  removeAddress(address: LocalAddress): Promise<void> {
    return this.#registered?.registrar.remove(address) ?? Promise.resolve();
  }

  counters(): Readonly<Record<string, number>> {
    return this.#registered?.registry.counters.read() ?? {};
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#registered !== undefined) await this.#registered.registry.close(this.#registered.registrar);
  }
}
