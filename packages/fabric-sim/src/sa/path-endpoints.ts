import { PATH_RECORD_COMPONENTS as C, Gid, MadStatus, type PathRecord } from "@verbena/ib";
import type { FabricPort } from "../fabric/port.js";
import type { SubnetManager } from "../sm/subnet-manager.js";

/** The ends that a path query names; an end that it leaves open is `undefined`. */
export interface PathEnds {
  readonly source: FabricPort | undefined;
  readonly destination: FabricPort | undefined;
}

/**
 * Finds the ends, or the status that says why not. Like OpenSM it calls an unknown or foreign GID "no records", although the
 * specification has a status of its own for it.
 */
export function pathEnds(record: PathRecord, mask: bigint, sm: SubnetManager): PathEnds | { readonly status: number } {
  const source = end(record.sgid, record.slid, (mask & C.sgid) !== 0n, (mask & C.slid) !== 0n, sm);
  if (typeof source === "number") return { status: source };
  const destination = end(record.dgid, record.dlid, (mask & C.dgid) !== 0n, (mask & C.dlid) !== 0n, sm);
  if (typeof destination === "number") return { status: destination };
  return { source, destination };
}

function end(
  gid: Gid,
  lid: number,
  hasGid: boolean,
  hasLid: boolean,
  sm: SubnetManager,
): FabricPort | number | undefined {
  let byGid: FabricPort | undefined;
  if (hasGid) {
    const prefix = Gid.prefix(gid);
    if (prefix !== Gid.linkLocalPrefix && prefix !== sm.port.gidPrefix) return MadStatus.SA_NO_RECORDS;
    byGid = sm.subnet.portByGuid(Gid.guid(gid));
    if (byGid === undefined) return MadStatus.SA_NO_RECORDS;
  }
  if (!hasLid) return byGid;
  const byLid = sm.subnet.portByLid(lid);
  if (byLid === undefined) return MadStatus.SA_NO_RECORDS;
  if (byGid !== undefined && byGid !== byLid) return MadStatus.SA_REQ_INVALID;
  return byLid;
}
