import { Gid, Lid, PKey } from "@verbena/ib";
import type { Port } from "../sdk/endpoint.js";
import type { LocalEndpoint } from "./local-endpoint.js";
import type { PortRuntime } from "./port-runtime.js";

/** The fields of a path request that pick the local endpoint; zero = not given. */
export interface PathEnds {
  readonly dgid: Gid;
  readonly sgid: Gid;
  readonly slid: Lid;
  readonly pkey: PKey;
}

/**
 * The local endpoint for a path request (spec acm.md 1.8): ports in ibacm's order; on the first fitting one the newest endpoint of the
 * partition, any if the P_Key is 0. An endpoint without an address sends the search on to the next port.
 */
export function chooseEndpoint(runtimes: readonly PortRuntime[], ends: PathEnds): LocalEndpoint | undefined {
  for (const { port, endpoints } of runtimes) {
    if (!isFitting(port, ends)) continue;
    const endpoint = endpoints.findLast(
      (candidate) => ends.pkey === 0 || PKey.samePartition(candidate.endpoint.pkey, ends.pkey),
    );
    if (endpoint?.hasAddress === true) return endpoint;
  }
  return undefined;
}

function isFitting(port: Port, { dgid, sgid, slid }: PathEnds): boolean {
  if (sgid !== Gid.zero) return port.gids.includes(sgid);
  if (slid !== 0) return Lid.base(slid, port.lmc) === Lid.base(port.lid, port.lmc);
  if (dgid === Gid.zero) return true;
  return port.gids.some((gid) => gid === dgid || Gid.prefix(gid) === Gid.prefix(dgid));
}
