/**
 * What the edges (client protocol server, control socket, embedding API) see of the engine. The engine implements it; the edges
 * know nothing else of it.
 */
import type { Gid, Guid, IpAddress, Lid, PathRecord, PKey } from "@verbena/ib";
import type { LostFunction } from "../losses/loss-book.js";
import type { NoticeState } from "../notices/port-notices.js";
import type { RouteEnd, RouteHop, RouteWalk } from "../route-walk/index.js";
import type { Destination } from "../sdk/destination.js";
import type { DuplicateAddress } from "../sdk/duplicate.js";
import type { GroupStatus } from "../sdk/group.js";
import type { ProviderEvent } from "../sdk/provider-event.js";
import type { SaNotice } from "../sdk/sa-notice.js";
import type { Explanation } from "./explanation.js";
import type { Footing, Ground } from "./footing.js";

export type {
  CacheState,
  ExplainStep,
  Explanation,
  ProviderOutcome,
  ProviderStep,
  SaStep,
} from "./explanation.js";
export type { Footing, Ground, LostFunction, RouteEnd, RouteHop, RouteWalk };

/** Who asks; for accounting and logs. */
export interface ClientIdentity {
  /** Unique in this process. */
  readonly id: number;
  readonly kind: "unix" | "tcp" | "netlink" | "embed" | "control";
  readonly pid?: number;
  readonly uid?: number;
}

/** How a request names its source. Absent = the engine chooses by the source selector. */
export type SourceSpec = Destination;

/** Request by name or address (client protocol RESOLVE by address; `verbena resolve`). */
export interface ResolveRequest {
  readonly source?: SourceSpec;
  readonly destination: Destination;
  /** Answer from the cache; if not there start the lookup and fail at once with VERBENA_RESOLVE_NO_DATA. */
  readonly noDelay?: boolean;
  /** From now, milliseconds. Default (retries + 1) × timeout. */
  readonly deadlineMs?: number;
  readonly maxPaths?: number;
  readonly signal?: AbortSignal;
  readonly client: ClientIdentity;
}

/** Request for an explanation. */
export interface ExplainRequest extends ResolveRequest {
  /**
   * Follow the first path through the switches, by the forwarding tables and links that the SA knows: some three queries for a switch.
   * What stands in the way does not make the request fail.
   */
  readonly route?: boolean;
}

/** Request for a path by LID or GID (client protocol RESOLVE with a PATH record). Zero means "not given", as on the wire. */
export interface PathRequest {
  readonly dgid: Gid;
  readonly sgid: Gid;
  readonly dlid: Lid;
  readonly slid: Lid;
  readonly pkey: PKey;
  readonly serviceId?: bigint;
  readonly trafficClass?: number;
  readonly sl?: number;
  readonly qosClass?: number;
  readonly reversible?: boolean;
  readonly maxPaths?: number;
  readonly noDelay?: boolean;
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
  readonly client: ClientIdentity;
}

/** Where an answer came from: shown by `--json`, `explain`, logs. */
export interface Provenance {
  readonly address?: {
    readonly provider: string;
    readonly from: "provider" | "cache" | "file" | "local";
    /** Kept from before a change of the subnet manager; whether it still holds is being asked. */
    readonly isUnconfirmed?: true;
  };
  readonly route: { readonly provider: string; readonly from: "provider" | "cache" | "file" | "local" };
}

/** Paths, and how the engine came by them. */
export interface ResolveAnswer {
  /** Best first, never empty. */
  readonly paths: readonly PathRecord[];
  readonly endpoint: EndpointIdentity;
  /** The source the engine chose (only when the request named none). */
  readonly chosenSource?: IpAddress;
  readonly provenance: Provenance;
  readonly ageMs: number;
  /** `undefined` = never. */
  readonly expiresInMs?: number;
  readonly generation: number;
  readonly requestId: string;
}

/** Which device, port and partition an endpoint is. */
export interface EndpointIdentity {
  readonly key: string;
  readonly device: string;
  readonly nodeGuid: Guid;
  readonly port: number;
  readonly portCount: number;
  readonly pkey: PKey;
}

/** One endpoint as `endpoints`, `ib_acme -e` and the endpoint query show it. */
export interface EndpointStatus extends EndpointIdentity {
  readonly state: "joining" | "ready" | "failed";
  readonly lid: Lid;
  readonly gid: Gid;
  /** Name shown in the endpoint query. `ibacmp` for compatibility when the acm chain is in use, else the first provider's name. */
  readonly provider: string;
  /** Address texts in slot order. */
  readonly addresses: readonly string[];
  readonly counters: AcmCounters;
  /** Multicast groups its providers use. */
  readonly groups: readonly GroupStatus[];
  /** Addresses that two hosts claim, as its providers have noticed. */
  readonly duplicates: readonly DuplicateAddress[];
}

/** The seven counters of the client protocol, in wire order. */
export interface AcmCounters {
  readonly error: number;
  readonly resolve: number;
  readonly noData: number;
  readonly addressQuery: number;
  readonly addressCache: number;
  readonly routeQuery: number;
  readonly routeCache: number;
}

/** QUERY_SA: straight to the SA with the client's record; no cache, no chain. */
export interface SaPassThrough {
  /** 64 bytes as the client sent them; the component mask is one bit per non-zero field. */
  readonly record: Uint8Array;
  readonly client: ClientIdentity;
  readonly signal?: AbortSignal;
}

/** What the SA said to a passed-through question. */
export interface SaPassThroughAnswer {
  /** MAD status, host form. */
  readonly madStatus: number;
  /** 64 bytes as the SA returned them (echoed on failure). */
  readonly record: Buffer;
}

/** What one client has made of the engine. */
export interface ClientUsage {
  readonly kind: ClientIdentity["kind"];
  readonly pid?: number;
  readonly uid?: number;
  /** Name of its command, where it could be read. */
  readonly command?: string;
  readonly requests: number;
  /** Requests answered without asking any provider. */
  readonly cacheHits: number;
  /** Requests that failed. */
  readonly errors: number;
  /** Queries to the SA that its requests caused, repeats included; of those who share a lookup the first one has caused it. */
  readonly saQueries: number;
  /** Since its last request. */
  readonly idleMs: number;
}

/** All clients remembered, who asks the SA most first. */
export interface ClientUsages {
  readonly clients: readonly ClientUsage[];
  /** Clients that had to make room for others. */
  readonly forgotten: number;
}

/** How a port gets on with its SA; counts since the daemon started, or the resolver was opened. */
export interface SaPortStatus {
  readonly device: string;
  readonly port: number;
  readonly smLid: Lid;
  /**
   * How the port hears of changes elsewhere: `subscribed` to the SA's notices, `asking` for them, `refused` by the SA, `taken` by another
   * program of this host, `off`. But for the first, time to live bounds a stale answer.
   */
  readonly notices: NoticeState;
  /** Most queries on their way at once, now; between 1 and `sa.depth`. */
  readonly window: number;
  readonly inFlight: number;
  /** Queries that wait for a place in the window. */
  readonly queued: number;
  /** `open`: the SA was silent and is left alone; `half-open`: one query is on its way to find out how it is. */
  readonly breaker: "closed" | "open" | "half-open";
  /** How long it is still left alone, milliseconds; 0 unless `open`. */
  readonly retryInMs: number;
  /** Tries sent, and what became of them. */
  readonly sent: number;
  readonly answered: number;
  readonly busy: number;
  readonly timeouts: number;
  /** Queries refused because the breaker was open. */
  readonly refused: number;
  /** Answers nobody waits for: late, duplicate, foreign, malformed. */
  readonly dropped: number;
  readonly sendErrors: number;
}

/** One cache entry, as `cache ls` shows it. */
export interface CacheEntry {
  readonly cache: "address" | "route";
  readonly endpoint: string;
  readonly destination: string;
  readonly state: "positive" | "negative" | "pending";
  readonly provider: string;
  readonly from: "provider" | "file" | "learned" | "local";
  readonly gid?: Gid;
  readonly lid?: Lid;
  readonly paths?: number;
  /** Kept from before a change of the subnet manager and not confirmed since. */
  readonly isUnconfirmed?: true;
  readonly ageMs: number;
  readonly expiresInMs?: number;
}

/** Whether paths to a destination may be made of the multicast groups alone. */
export interface GroupCheck {
  readonly destination: string;
  readonly endpoint: EndpointIdentity;
  /** Of the destination. */
  readonly gid: Gid;
  /** What the SA says now; absent = it knows no such path. */
  readonly forward?: PathRecord;
  /** The same way back. */
  readonly reverse?: PathRecord;
  /**
   * MGID of the group that paths to it would be made of: the one that the destination has said both are in; where it has said nothing, the most preferred
   * whose rate and MTU the SA's paths carry. Absent = none is joined, so that there is nothing to make paths of.
   */
  readonly group?: Gid;
  /** Of the groups that are joined, in which way the SA's paths differ. */
  readonly groups: readonly {
    readonly mgid: Gid;
    readonly role: GroupStatus["role"];
    readonly problems: readonly string[];
  }[];
}

/** What is watched of the providers. */
export interface ProviderWatch {
  readonly signal?: AbortSignal;
  /** Key of an endpoint, which need not be there yet; absent = all. */
  readonly endpoint?: string;
}

/** What a provider has done or seen on an endpoint; `providerEvents()` and `GET /v1/providers/watch`. */
export type ProviderReport =
  | {
      readonly type: "event";
      /** Key of the endpoint. */
      readonly endpoint: string;
      readonly provider: string;
      /** When, by the host's clock: ISO 8601, UTC. */
      readonly time: string;
      readonly event: ProviderEvent;
    }
  /** The configuration has changed; the providers were opened anew. */
  | { readonly type: "restarted"; readonly reason: string }
  /** The reader fell behind; this many events before the next one are lost. */
  | { readonly type: "lagged"; readonly dropped: number };

/** What changed in the engine's world; `changes()` of the embedding API and `watch` of the control socket. */
export type EngineChange =
  | {
      readonly type: "port";
      readonly device: string;
      readonly port: number;
      readonly state: string;
      readonly generation: number;
    }
  | {
      readonly type: "endpoint";
      readonly key: string;
      readonly event: "added" | "removed" | "state";
      readonly state?: string;
    }
  | {
      readonly type: "address";
      readonly endpoint: string;
      readonly address: string;
      readonly event: "added" | "removed";
    }
  /** A name or IP was found at another port than when it was looked up last; GIDs as text. */
  | {
      readonly type: "moved";
      readonly endpoint: string;
      readonly destination: string;
      readonly from: string;
      readonly to: string;
    }
  /** The SA has reported a change elsewhere in the subnet. */
  | {
      readonly type: "notice";
      readonly device: string;
      readonly port: number;
      readonly event: SaNotice["type"];
      readonly gid?: string;
      readonly lid?: Lid;
      readonly text: string;
    }
  | { readonly type: "flushed"; readonly endpoint?: string; readonly destination?: string; readonly reason: string }
  /** The reader fell behind; this many changes before the next one are lost. */
  | { readonly type: "lagged"; readonly dropped: number };

/**
 * The engine. Failures are coded errors: VERBENA_RESOLVE_NO_DATA, _TIMEOUT, _NO_SOURCE, _DESTINATION, _DESTINATION_TYPE,
 * _NOT_READY, _SA_STATUS (with `saStatus`), _NO_ROUTE_TO_SOURCE (with `errno`), _ABORTED, _CLOSED; and VERBENA_SA_BREAKER_OPEN (with
 * `retryInMs`) while a silent SA is left alone and the caches do not know. Only the client protocol's handler
 * maps them to wire statuses.
 */
export interface ResolverEngine {
  /** Resolves like `resolve`, and tells how. A failure with a code is part of what it tells. */
  explain(request: ExplainRequest): Promise<Explanation>;
  /** Endpoint, address, route; from the caches where they know. */
  resolve(request: ResolveRequest): Promise<ResolveAnswer>;
  /** Endpoint and route; a GID or LID needs no address step. */
  resolvePath(request: PathRequest): Promise<ResolveAnswer>;
  /**
   * The answer to `resolve`, if it can be given at once from what is cached; counted like any other. `undefined`: ask `resolve`, nothing
   * has been counted. Never throws. Who keeps the answer hands in a new footing, to learn how long it is good.
   */
  tryResolveCached?(request: ResolveRequest, footing?: Footing): ResolveAnswer | undefined;
  /** The same for `resolvePath`. */
  tryResolvePathCached?(request: PathRequest, footing?: Footing): ResolveAnswer | undefined;
  /** Hands a record to the SA of the endpoint that owns its source. */
  querySa(request: SaPassThrough): Promise<SaPassThroughAnswer>;
  /** Compares the paths that the groups of the endpoint would give with the SA's, asked anew; no route provider is asked. */
  checkGroups(request: ResolveRequest): Promise<GroupCheck>;
  /** ibacm's order: devices last opened first, ACTIVE ports ascending, endpoints newest first. */
  endpoints(): readonly EndpointStatus[];
  /** The endpoint that owns a local name or address. */
  endpointOf(source: SourceSpec): EndpointStatus | undefined;
  /**
   * Lookups and cache hits summed over all endpoints; `resolve`, `error` and `noData` count the requests made of the engine, also those
   * that reached no endpoint. Requests that an edge refuses by itself are its own to count. They only grow, in a daemon over all its engines.
   */
  counters(): AcmCounters;
  /** How each active port gets on with its SA. */
  saPorts(): readonly SaPortStatus[];
  /** What cannot be done here for want of a privilege, a library or a module. */
  lostFunctions(): readonly LostFunction[];
  /** Who asks, and who makes us ask the SA; in a daemon since that started, whichever engine it has by now. */
  clients(): ClientUsages;
  /** Everything cached now, of all endpoints. */
  cacheEntries(): readonly CacheEntry[];
  /** Drops one destination, or all; returns how many entries went. Entries from files are read again. */
  flush(destination?: Destination): number;
  /** From now on; ends with `signal` or on close. A slow reader loses changes and is told how many. */
  changes(signal?: AbortSignal): AsyncIterableIterator<EngineChange>;
  /** What providers do and see, on one endpoint or on all, from now on; as `changes`. */
  providerEvents(options?: ProviderWatch): AsyncIterableIterator<ProviderReport>;
  /** Idempotent. Settles every question with VERBENA_RESOLVE_CLOSED, then closes endpoints, ports and providers. */
  close(): Promise<void>;
}
