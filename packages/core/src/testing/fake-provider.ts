import type { Destination } from "../sdk/destination.js";
import type { Endpoint, LocalAddress, Port } from "../sdk/endpoint.js";
import type {
  AddressProvider,
  EndpointServices,
  EndpointSession,
  PortEvent,
  PortSession,
  ProviderCounters,
  ResolutionProvider,
  ResolveContext,
  RouteProvider,
  SessionState,
} from "../sdk/provider.js";
import type { AddressAnswer, RouteAnswer, RouteQuery } from "../sdk/route.js";
import type { PortServices } from "../sdk/services.js";

/** A provider by script: set `address` and `route`, read what was asked. Keeps to the contract unless told otherwise. */
export class FakeProvider implements ResolutionProvider {
  readonly addressQuestions: { readonly to: Destination; readonly context: ResolveContext }[] = [];
  readonly routeQuestions: { readonly query: RouteQuery; readonly context: ResolveContext }[] = [];
  readonly ports: FakePortSession[] = [];
  /** Absent when a session is opened: that session has no address role. */
  address:
    | ((to: Destination, context: ResolveContext, services: PortServices) => Promise<AddressAnswer | undefined>)
    | undefined;
  /** Absent when a session is opened: that session has no route role. */
  route:
    | ((query: RouteQuery, context: ResolveContext, services: PortServices) => Promise<RouteAnswer | undefined>)
    | undefined;
  /** State of the sessions opened from now on. */
  initialState: SessionState = "ready";
  /** Held until resolved, when set: opening a port takes as long. */
  gate: Promise<void> | undefined;
  /** The same for an endpoint. */
  endpointGate: Promise<void> | undefined;
  counters: ProviderCounters = {};

  /** Waits for {@link FakeProvider.gate}, then opens a session that remembers what happens to it. */
  async openPort(port: Port, services: PortServices): Promise<PortSession> {
    await this.gate;
    const session = new FakePortSession(this, port, services);
    this.ports.push(session);
    return session;
  }

  /** Sessions of endpoints that are open now, oldest first. */
  get endpoints(): readonly FakeEndpointSession[] {
    return this.ports.flatMap((port) => port.endpoints).filter((endpoint) => !endpoint.isDisposed);
  }

  /** Remembers that it was disposed; a port complains if an endpoint is still open. */
  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }
}

/** The fake provider on one port. */
export class FakePortSession implements PortSession {
  readonly endpoints: FakeEndpointSession[] = [];
  readonly events: PortEvent[] = [];
  isDisposed = false;

  constructor(
    private readonly provider: FakeProvider,
    readonly port: Port,
    readonly services: PortServices,
  ) {}

  /** Opens a session with the roles the provider has at this moment. */
  async openEndpoint(endpoint: Endpoint, services: EndpointServices): Promise<EndpointSession> {
    await this.provider.endpointGate;
    const session = new FakeEndpointSession(this.provider, this, endpoint, services);
    this.endpoints.push(session);
    return session;
  }

  /** Remembers the event. */
  onEvent(event: PortEvent): void {
    this.events.push(event);
  }

  /** Remembers that it was disposed; a port complains if an endpoint is still open. */
  [Symbol.asyncDispose](): Promise<void> {
    // Endpoints are closed before their port; who breaks that finds out here.
    if (this.endpoints.some((endpoint) => !endpoint.isDisposed)) throw new Error("port closed before its endpoints");
    this.isDisposed = true;
    return Promise.resolve();
  }
}

/** The fake provider on one endpoint. */
export class FakeEndpointSession implements EndpointSession {
  readonly addresses: LocalAddress[];
  readonly address?: AddressProvider;
  readonly route?: RouteProvider;
  readonly #listeners = new Set<(state: SessionState) => void>();
  #state: SessionState;
  isDisposed = false;

  constructor(
    private readonly provider: FakeProvider,
    portSession: FakePortSession,
    readonly endpoint: Endpoint,
    readonly services: EndpointServices,
  ) {
    this.addresses = [...endpoint.addresses];
    this.#state = provider.initialState;
    const { services: port } = portSession;
    if (provider.address !== undefined) {
      this.address = {
        resolveAddress: async (to, context) => {
          provider.addressQuestions.push({ to, context });
          return await provider.address?.(to, context, port);
        },
      };
    }
    if (provider.route !== undefined) {
      this.route = {
        resolveRoute: async (query, context) => {
          provider.routeQuestions.push({ query, context });
          return await provider.route?.(query, context, port);
        },
      };
    }
  }

  get state(): SessionState {
    return this.#state;
  }

  /** Changes the state and tells the listeners. */
  setState(state: SessionState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener(state);
  }

  onState(listener: (state: SessionState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Remembers the address. */
  addAddress(address: LocalAddress): Promise<void> {
    this.addresses.push(address);
    return Promise.resolve();
  }

  /** Forgets the address. */
  removeAddress(address: LocalAddress): Promise<void> {
    this.addresses.splice(this.addresses.indexOf(address), 1);
    return Promise.resolve();
  }

  /** What {@link FakeProvider.counters} says. */
  counters(): ProviderCounters {
    return this.provider.counters;
  }

  /** Remembers that it was disposed; a port complains if an endpoint is still open. */
  [Symbol.asyncDispose](): Promise<void> {
    this.isDisposed = true;
    return Promise.resolve();
  }
}
