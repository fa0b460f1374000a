/**
 * JSON shapes of the control socket (`/v1`). 64-bit numbers travel as text: GUIDs and service ids as `0x` and 16 hexadecimal digits,
 * GIDs as IPv6 text, P_Keys as `0x` and 4 digits. Times are milliseconds.
 */

/** A path. `record` is the whole 64-byte PathRecord in hexadecimal, the other members are its fields in readable form. */
export interface PathJson {
  readonly record: string;
  readonly dgid: string;
  readonly sgid: string;
  readonly dlid: number;
  readonly slid: number;
  readonly pkey: string;
  readonly sl: number;
  readonly tclass: number;
  readonly flowLabel: number;
  readonly hopLimit: number;
  readonly reversible: boolean;
  readonly serviceId: string;
  readonly qosClass: number;
  /** MTU code, and bytes where the code is known. */
  readonly mtu: number;
  readonly mtuBytes?: number;
  /** Rate code, and Gb/s where the code is known. */
  readonly rate: number;
  readonly rateGbps?: number;
  readonly packetLifeTime: number;
  readonly preference: number;
}

/** Which local endpoint. */
export interface EndpointIdentityJson {
  readonly key: string;
  readonly device: string;
  readonly nodeGuid: string;
  readonly port: number;
  readonly portCount: number;
  readonly pkey: string;
}

/** The seven counters of the client protocol. */
export interface CountersJson {
  readonly error: number;
  readonly resolve: number;
  readonly noData: number;
  readonly addressQuery: number;
  readonly addressCache: number;
  readonly routeQuery: number;
  readonly routeCache: number;
}

/** A multicast group of an endpoint. */
export interface GroupJson {
  readonly mgid: string;
  readonly role: "base" | "preferred" | "foreign";
  readonly state: "joining" | "joined" | "failed" | "left-out";
  /** While the port is a member. */
  readonly mlid?: number;
  /** Rate code, and Gb/s where the code is known. */
  readonly rate: number;
  readonly rateGbps?: number;
  /** MTU code, and bytes where the code is known. */
  readonly mtu: number;
  readonly mtuBytes?: number;
  readonly sl: number;
  readonly trafficClass: number;
  /** Why it is not joined. */
  readonly problem?: string;
}

/** An address that two hosts claim; who was `first` is used. */
export interface DuplicateJson {
  readonly address: string;
  /** GIDs as text. */
  readonly first: string;
  readonly second: string;
  /** Since it was seen last. */
  readonly ageMs: number;
}

/** One endpoint of `GET /v1/endpoints`. */
export interface EndpointJson extends EndpointIdentityJson {
  readonly state: "joining" | "ready" | "failed";
  readonly lid: number;
  readonly gid: string;
  readonly provider: string;
  readonly addresses: readonly string[];
  readonly counters: CountersJson;
  /** Least preferred first; an older daemon does not tell. */
  readonly groups?: readonly GroupJson[];
  /** An older daemon does not tell. */
  readonly duplicates?: readonly DuplicateJson[];
}

/** `GET /v1/endpoints`. */
export interface EndpointsJson {
  readonly endpoints: readonly EndpointJson[];
}

/** One client of `GET /v1/clients`. */
export interface ClientJson {
  readonly kind: "unix" | "tcp" | "netlink" | "embed" | "control";
  /** Absent where the client has none to show; all such clients of a kind are one. */
  readonly pid?: number;
  readonly uid?: number;
  readonly command?: string;
  readonly requests: number;
  readonly cacheHits: number;
  readonly errors: number;
  readonly saQueries: number;
  /** Since its last request. */
  readonly idleMs: number;
}

/** `GET /v1/clients`: who asks the SA most comes first. */
export interface ClientsJson {
  readonly clients: readonly ClientJson[];
  /** Clients that had to make room for others. */
  readonly forgotten: number;
}

/** How a port gets on with its SA; counts since the daemon started, or the resolver was opened. */
export interface SaPortJson {
  readonly device: string;
  readonly port: number;
  readonly smLid: number;
  /** How the port hears of changes elsewhere; an older daemon does not tell. */
  readonly notices?: "subscribed" | "asking" | "refused" | "taken" | "off";
  /** Most queries on their way at once, now. */
  readonly window: number;
  readonly inFlight: number;
  readonly queued: number;
  readonly breaker: "closed" | "open" | "half-open";
  /** 0 unless the breaker is open. */
  readonly retryInMs: number;
  readonly sent: number;
  readonly answered: number;
  readonly busy: number;
  readonly timeouts: number;
  readonly refused: number;
  readonly dropped: number;
  readonly sendErrors: number;
}

/** `GET /v1/stats`. */
export interface StatsJson {
  readonly counters: CountersJson;
  readonly endpoints: readonly { readonly key: string; readonly counters: CountersJson }[];
  /** Per active port; an older daemon does not tell. */
  readonly sa?: readonly SaPortJson[];
  readonly clients: number;
  readonly uptimeMs: number;
}

/** How the daemon gets on with the kernel, which asks it for paths over RDMA netlink. */
export interface KernelServiceJson {
  /**
   * `off`: not wanted, or a node of a simulated fabric; `starting`: not confirmed yet; `serving`; `lost`: the kernel asks the subnet
   * administrator itself, for the reason given.
   */
  readonly state: "off" | "starting" | "serving" | "lost";
  /** Why: for `off` and `lost`. */
  readonly reason?: string;
  /** What to do about a loss. */
  readonly remedy?: string;
  /** How long the kernel waits for an answer, milliseconds. */
  readonly timeoutMs: number;
  readonly requests: number;
  /** Of these, answered with a failure: the kernel asks the subnet administrator itself. */
  readonly failures: number;
  /** How often requests were lost because they were not read in time. */
  readonly overruns: number;
}

/** Something the daemon cannot do here, for want of a privilege, a library or a module. */
export interface LostFunctionJson {
  readonly function: string;
  readonly reason: string;
  /** What to do about it. */
  readonly remedy?: string;
}

/** `GET /v1/status`. */
export interface StatusJson {
  readonly name: "verbena";
  readonly version: string;
  readonly pid: number;
  readonly state: "ready" | "reloading" | "stopping";
  readonly uptimeMs: number;
  /** Where clients connect: paths, or `HOST:PORT`. */
  readonly listening: readonly string[];
  readonly control?: string;
  /** Where processes attach for RDS sockets, and how many such sockets are bound; absent where they cannot. */
  readonly rds?: { readonly path: string; readonly sockets: number };
  readonly clients: number;
  readonly reloads: number;
  readonly endpoints: { readonly ready: number; readonly joining: number; readonly failed: number };
  readonly providers: readonly string[];
  /** Names of the providers asked for each role, in this order; an older daemon does not tell. */
  readonly chains?: { readonly address: readonly string[]; readonly route: readonly string[] };
  /** An older daemon does not tell. */
  readonly kernelService?: KernelServiceJson;
  /** Warnings of the configuration in use. */
  readonly warnings: readonly string[];
  /** Functions that are lost for now; an older daemon does not tell. */
  readonly degraded?: readonly LostFunctionJson[];
}

/** One entry of `GET /v1/cache`. */
export interface CacheEntryJson {
  readonly cache: "address" | "route";
  readonly endpoint: string;
  readonly destination: string;
  readonly state: "positive" | "negative" | "pending";
  readonly provider: string;
  readonly from: "provider" | "file" | "learned" | "local";
  readonly gid?: string;
  readonly lid?: number;
  readonly paths?: number;
  /** Kept from before a change of the subnet manager and not confirmed since. */
  readonly isUnconfirmed?: true;
  readonly ageMs: number;
  /** Absent = never. */
  readonly expiresInMs?: number;
}

/** `GET /v1/cache`. */
export interface CacheJson {
  readonly entries: readonly CacheEntryJson[];
}

/** Body of `POST /v1/cache/flush`: one destination, or everything. */
export interface FlushRequestJson {
  readonly destination?: string;
}

/** Answer to `POST /v1/cache/flush`. */
export interface FlushJson {
  readonly flushed: number;
}

/** Body of `POST /v1/resolve`. Texts as `parseDestination` reads them; a format overrides their form. */
export interface ResolveRequestJson {
  readonly destination: string;
  readonly format?: "auto" | "name" | "ip" | "gid" | "lid";
  readonly source?: string;
  readonly noDelay?: boolean;
  readonly deadlineMs?: number;
  readonly maxPaths?: number;
}

/** Where one half of an answer came from. */
export interface OriginJson {
  readonly provider: string;
  readonly from: "provider" | "cache" | "file" | "local";
  /** An address kept from before a change of the subnet manager; whether it still holds is being asked. */
  readonly isUnconfirmed?: true;
}

/** Answer to `POST /v1/resolve`. */
export interface ResolveJson {
  /** Best first, never empty. */
  readonly paths: readonly PathJson[];
  readonly endpoint: EndpointIdentityJson;
  readonly chosenSource?: string;
  readonly provenance: { readonly address?: OriginJson; readonly route: OriginJson };
  readonly ageMs: number;
  /** Absent = never. */
  readonly expiresInMs?: number;
  readonly generation: number;
  readonly requestId: string;
}

/** Body of `POST /v1/explain`; members as for `POST /v1/resolve`. */
export interface ExplainRequestJson extends Omit<ResolveRequestJson, "noDelay"> {
  /** Follow the first path through the switches; costs the SA some three queries for each. */
  readonly route?: boolean;
}

/** One end of a link on a route. */
export interface RouteEndJson {
  readonly lid: number;
  readonly port: number;
  readonly kind: "ca" | "switch" | "router" | "unknown";
  readonly nodeGuid: string;
  readonly portGuid: string;
  readonly description: string;
}

/** The way of a path, link by link; `problem`: why it could not be followed to its end. */
export interface RouteJson {
  readonly slid: number;
  readonly dlid: number;
  readonly hops: readonly { readonly from: RouteEndJson; readonly to: RouteEndJson }[];
  readonly problem?: string;
}

/** One provider that was asked. `overtaken`: another one answered first, or nobody waited any longer. */
export interface ProviderStepJson {
  readonly provider: string;
  readonly outcome: "answered" | "unknown" | "timeout" | "error" | "fault" | "overtaken";
  readonly tookMs: number;
  /** Code of its error, or how it broke its contract. */
  readonly detail?: string;
}

/** One try of a query to the SA. */
export interface SaStepJson {
  readonly method: "get" | "set" | "delete" | "getTable";
  readonly attributeId: number;
  readonly outcome: "answered" | "busy" | "timeout";
  /** MAD status of an answer. */
  readonly status?: number;
  readonly tookMs: number;
}

/** One step of an explanation, in the order in which they happened. */
export type ExplainStepJson =
  | {
      readonly step: "endpoint";
      readonly tookMs: number;
      readonly endpoint?: EndpointIdentityJson;
      readonly state?: "joining" | "ready" | "failed";
      readonly chosenSource?: string;
      readonly code?: string;
    }
  | {
      readonly step: "address" | "route";
      readonly tookMs: number;
      readonly about: string;
      /** `due`: a hit that is being refreshed; `joined`: a lookup was under way; `miss`: the providers are asked. */
      readonly cache: "hit" | "due" | "kept" | "file" | "negative" | "joined" | "miss";
      readonly providers: readonly ProviderStepJson[];
      readonly sa: readonly SaStepJson[];
      readonly provider?: string;
      readonly ageMs?: number;
      /** Absent = never, or nothing is kept. */
      readonly expiresInMs?: number;
      readonly code?: string;
    }
  | { readonly step: "own"; readonly about: string }
  | { readonly step: "restart" };

/** Answer to `POST /v1/explain`: what was done, then `answer` or `error`. */
export interface ExplainJson {
  readonly requestId: string;
  readonly destination: string;
  readonly tookMs: number;
  readonly steps: readonly ExplainStepJson[];
  readonly answer?: ResolveJson;
  /** Only if it was asked for. */
  readonly route?: RouteJson;
  readonly error?: ErrorJson["error"];
}

/** Body of `POST /v1/multicast/check`; members as for `POST /v1/resolve`. */
export type GroupCheckRequestJson = Pick<ResolveRequestJson, "destination" | "source" | "deadlineMs">;

/** Answer to `POST /v1/multicast/check`: the paths that groups would give beside those of the SA. */
export interface GroupCheckJson {
  readonly destination: string;
  readonly endpoint: EndpointIdentityJson;
  readonly gid: string;
  /** What the SA says; absent = it knows no such path. */
  readonly forward?: PathJson;
  readonly reverse?: PathJson;
  /** MGID of the one of `groups` that paths would be made of, as far as it is known; absent = none is joined. */
  readonly group?: string;
  /** The groups that are joined. `problems`: how the SA's paths differ, in words; empty = they agree. */
  readonly groups: readonly {
    readonly mgid: string;
    readonly role: "base" | "preferred" | "foreign";
    readonly problems: readonly string[];
  }[];
  /** `route_prot acm` may be used: there is a `group`, and it has no problems. */
  readonly isUsable: boolean;
}

/** Answer to `POST /v1/reload`. */
export interface ReloadJson {
  /** Sections that changed and are in use now. */
  readonly applied: readonly string[];
  /** Changed keys that take effect at the next start. */
  readonly needRestart: readonly string[];
  readonly warnings: readonly string[];
}

/** One line of `GET /v1/watch`. Kinds that a client does not know are to be passed over. */
export type ChangeJson = { readonly type: string } & Readonly<Record<string, string | number | boolean>>;

/**
 * One line of `GET /v1/providers/watch`: `watching` is the first one, `lagged` tells how many lines a slow reader has lost, `restarted` that the providers
 * were opened anew. Kinds that a client does not know are to be passed over.
 */
export type ProviderReportJson =
  | { readonly type: "watching" }
  | {
      readonly type: "event";
      readonly endpoint: string;
      readonly provider: string;
      /** ISO 8601, UTC. */
      readonly time: string;
      /** What, in the provider's own words. */
      readonly event: { readonly type: string } & Readonly<Record<string, string | number | boolean>>;
    }
  | { readonly type: "restarted"; readonly reason: string }
  | { readonly type: "lagged"; readonly dropped: number };

/** Body of every answer with a status of 400 or more. */
export interface ErrorJson {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly hint?: string;
  };
}
