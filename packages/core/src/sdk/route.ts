import type { Gid, Lid, PathRecord, PKey } from "@verbena/ib";
import type { Endpoint } from "./endpoint.js";

/** What the route step is asked. Every field that is set takes part in the cache key and in the SA's component mask. */
export interface RouteQuery {
  readonly endpoint: Endpoint;
  readonly sgid: Gid;
  readonly slid?: Lid;
  readonly dgid?: Gid;
  readonly dlid?: Lid;
  readonly pkey: PKey;
  readonly serviceId?: bigint;
  readonly trafficClass?: number;
  readonly sl?: number;
  readonly qosClass?: number;
  readonly reversible: boolean;
  /** 1 to 127. */
  readonly maxPaths: number;
  /** What the address step said besides the address; opaque to the core. */
  readonly hint?: unknown;
}

/** Answer of the address step. A complete `path` skips the route step. At least one of gid, lid, path MUST be set. */
export interface AddressAnswer {
  readonly gid?: Gid;
  readonly lid?: Lid;
  readonly path?: PathRecord;
  readonly hint?: unknown;
  /** MGID of the multicast group both ends are in and that a path made of a group would go by; for `checkGroups`, which judges that one. */
  readonly group?: Gid;
  /** Overrides the core's default time to live, milliseconds. */
  readonly ttlMs?: number;
}

/** Answer of the route step: at least one path, best first. */
export interface RouteAnswer {
  readonly paths: readonly PathRecord[];
  /** Overrides the core's default time to live, milliseconds. */
  readonly ttlMs?: number;
}
