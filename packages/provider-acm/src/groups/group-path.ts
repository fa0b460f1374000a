import type { Port } from "@verbena/core/sdk";
import { emptyPathRecord, type Gid, type Lid, type McMemberRecord, type PathRecord } from "@verbena/ib";

/**
 * The path to a peer by what the SA says of a group both are in: its SL, flow label, hop limit, traffic class, MTU, rate and life, selectors
 * included. Taken to be reversible, which holds where the fabric's routes are.
 */
export function groupPath(
  group: McMemberRecord,
  port: Pick<Port, "lid">,
  peer: { readonly gid: Gid; readonly lid: Lid },
): PathRecord {
  return emptyPathRecord({
    dgid: peer.gid,
    sgid: group.portGid,
    dlid: peer.lid,
    slid: port.lid,
    flowLabel: group.flowLabel,
    hopLimit: group.hopLimit,
    tclass: group.tclass,
    reversible: true,
    numbPath: 1,
    pkey: group.pkey,
    sl: group.sl,
    mtuSelector: group.mtuSelector,
    mtu: group.mtu,
    rateSelector: group.rateSelector,
    rate: group.rate,
    packetLifeTimeSelector: group.packetLifeTimeSelector,
    packetLifeTime: group.packetLifeTime,
  });
}
