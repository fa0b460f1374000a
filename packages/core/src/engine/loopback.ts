import { emptyPathRecord, Gid, Lid, type PathRecord } from "@verbena/ib";
import type { Endpoint } from "../sdk/endpoint.js";

/** Path of an endpoint to itself (spec acm.md 4.8): own GID and base LID at both ends, the port's MTU and rate without selector. */
export function loopbackPath({ port, pkey }: Endpoint): PathRecord {
  const gid = port.gids[0] ?? Gid.zero;
  const lid = Lid.base(port.lid, port.lmc);
  return emptyPathRecord({
    dgid: gid,
    sgid: gid,
    dlid: lid,
    slid: lid,
    reversible: true,
    pkey,
    mtu: port.activeMtu,
    rate: port.activeRate,
  });
}
