import type { Gid, Lid } from "@verbena/ib";
import type { Destination } from "./destination.js";
import type { DuplicateAddress } from "./duplicate.js";
import type { Endpoint, LocalAddress, Port } from "./endpoint.js";
import type { GroupStatus } from "./group.js";
import type { ProviderEvent } from "./provider-event.js";
import type { AddressAnswer, RouteAnswer, RouteQuery } from "./route.js";
import type { SaNotice } from "./sa-notice.js";
import type { Logger, PortServices } from "./services.js";

/** Given with every question. */
export interface ResolveContext {
  readonly endpoint: Endpoint;
  /** Aborted at the deadline, when the last client has gone, or when the endpoint changes. Providers MUST stop work on it. */
  readonly signal: AbortSignal;
  /** On the injected clock, milliseconds. */
  readonly deadline: number;
  /** Appears in every log line and trace this question causes. */
  readonly requestId: string;
  /** Of the endpoint's port; an answer to an older one is dropped by the core. */
  readonly generation: number;
  /**
   * As whom the client asks: the local name or address that it named, or that was chosen for it. Absent where there is none. Lookups are shared; this is
   * of the request that began it. Since SDK 1.3.
   */
  readonly source?: Destination;
  /** The client does not wait: a provider MAY still look up, the answer goes to the cache. */
  readonly noDelay: boolean;
  /** Puts an address or route overheard while answering into the core's caches of this endpoint; dropped once `generation` is over. */
  learn(entry: LearnedEntry): void;
}

/** Something a provider overheard. */
export type LearnedEntry =
  | { readonly kind: "address"; readonly destination: Destination; readonly answer: AddressAnswer }
  | { readonly kind: "route"; readonly query: Omit<RouteQuery, "endpoint">; readonly answer: RouteAnswer };

/** What belongs to an endpoint, given to `openEndpoint`; valid until the session is disposed. */
export interface EndpointServices {
  /**
   * Puts an address or route overheard outside of any question into the core's caches of this endpoint, for example a peer that announced
   * itself. It is taken as true of the port as it is at the moment of the call: providers MUST NOT keep what they heard for a later call
   * that comes after a `PortEvent`. MAY be called before the session is `ready`; does nothing once the session is being disposed.
   */
  learn(entry: LearnedEntry): void;
  /**
   * Something was heard that makes paths to these GIDs and LIDs doubtful, for example a port that speaks from another LID than before. The core
   * forgets what leads there, over all endpoints of the port, and begins again what is being looked up. Providers SHOULD limit how often one
   * stranger can cause this. Does nothing once the session is being disposed. Since SDK 1.2.
   */
  doubt(ends: readonly (Gid | Lid)[], reason: string): void;
  /**
   * Tells who watches the provider at work what it does and sees. `event` is called before this returns if anybody watches, else not at all: a provider
   * MAY report every packet. It MUST NOT throw. Does nothing once the session is being disposed. Since SDK 1.3.
   */
  observe(event: () => ProviderEvent): void;
  /** Labelled with provider, device, port and endpoint. */
  readonly logger: Logger;
}

/**
 * Turns a name or IP into a GID or LID. `undefined` = "I do not know"; it, a rejection and a time-out all pass to the next provider.
 * A negative entry is made only when the whole chain has failed. Who gives up because nobody answered in time rejects with a coded error
 * whose details have `timedOut: true`; it counts as a time-out, not as "nobody knows".
 */
export interface AddressProvider {
  /** MUST settle by the deadline of `context` or when its signal aborts. A complete `path` in the answer skips the route step. */
  resolveAddress(to: Destination, context: ResolveContext): Promise<AddressAnswer | undefined>;
}

/** Finds paths. The same rules as for addresses. */
export interface RouteProvider {
  /** MUST settle by the deadline of `context` or when its signal aborts. Best path first; an empty answer counts as `undefined`. */
  resolveRoute(query: RouteQuery, context: ResolveContext): Promise<RouteAnswer | undefined>;
}

/** How far an endpoint's session has come. `failed` MAY become `joining` again. */
export type SessionState = "joining" | "ready" | "failed";

/** The seven counters of ibacm that a provider owns, and whatever else it wants to show. */
export type ProviderCounters = Readonly<Record<string, number | bigint>>;

/** A provider at work on one endpoint. */
export interface EndpointSession extends AsyncDisposable {
  /** Anything but `ready` makes requests on this endpoint end with status 3 (no data). */
  readonly state: SessionState;
  /** Returns the function that removes the listener. */
  onState(listener: (state: SessionState) => void): () => void;
  readonly address?: AddressProvider;
  readonly route?: RouteProvider;
  /** A local name or IP has come to the endpoint. MAY reject: the address stays known to the core, without this provider. */
  addAddress(address: LocalAddress): Promise<void>;
  /** A local name or IP has left the endpoint. */
  removeAddress(address: LocalAddress): Promise<void>;
  /** Numbers since the session was opened. */
  counters(): ProviderCounters;
  /** Multicast groups it uses, least preferred first, those of others behind; absent where there are none. MUST NOT throw. Since SDK 1.2. */
  groups?(): readonly GroupStatus[];
  /** Addresses that two hosts claim, as far as it has noticed; each pair once. MUST NOT throw. Since SDK 1.3. */
  duplicates?(): readonly DuplicateAddress[];
}

/** What happened to a port, or is asked of who works on it. Unknown kinds arrive as data. */
export type PortEvent =
  /**
   * The port stays, its surroundings are others: another SM, or one that has forgotten what it was told. Providers MUST forget LIDs and paths; the core
   * does the same, and keeps whose a name or IP is until it is confirmed.
   */
  | {
      readonly type: "lid-change" | "gid-change" | "pkey-change" | "sm-change" | "client-reregister";
      readonly port: Port;
    }
  /**
   * Without a cause: somebody asked for a flush, of everything or of one destination. Providers MUST forget what they keep of it themselves.
   * Cause `notices-missed`, since SDK 1.3: something may have changed in the subnet of which nobody here has heard. Providers MUST forget LIDs and
   * paths, and MAY keep whose a name or IP is as what is to be confirmed, as the core does.
   */
  | {
      readonly type: "flush";
      readonly destination?: Destination;
      readonly cause?: "notices-missed";
      readonly port: Port;
    }
  /** The SA reports a change somewhere in the subnet. The core forgets its own entries; providers MUST NOT answer from what they kept. */
  | { readonly type: "notice"; readonly notice: SaNotice; readonly port: Port }
  | { readonly type: "unknown"; readonly raw: unknown; readonly port: Port };

/** A provider at work on one port. The core closes endpoints before the port. */
export interface PortSession extends AsyncDisposable {
  /** Begins work on one endpoint of the port. MAY resolve before the session is `ready`. */
  openEndpoint(endpoint: Endpoint, services: EndpointServices): Promise<EndpointSession>;
  /** Told of everything that happens to the port. MUST NOT throw or wait. */
  onEvent?(event: PortEvent): void;
}

/** A provider of addresses, routes or both. One instance per daemon. */
export interface ResolutionProvider extends AsyncDisposable {
  /** Begins work on one port. `services` belong to the core and are valid until the session is disposed. */
  openPort(port: Port, services: PortServices): Promise<PortSession>;
}
