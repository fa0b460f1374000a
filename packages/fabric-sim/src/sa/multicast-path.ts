import {
  PATH_RECORD_COMPONENTS as C,
  Gid,
  MadMethod,
  type McMemberRecord,
  type PathRecord,
  Selector,
} from "@verbena/ib";
import type { MulticastGroup } from "../sm/multicast-groups.js";
import type { SubnetManager } from "../sm/subnet-manager.js";

const LINK_LOCAL_SCOPE = 2;

/** The path to a multicast GID: what the query says, overwritten with the group's parameters. */
export function multicastPath(
  wanted: PathRecord,
  mask: bigint,
  method: number,
  sm: SubnetManager,
): readonly PathRecord[] {
  const group = sm.groups.byMgid(wanted.dgid);
  if (group === undefined || !fits(wanted, mask, method, group, sm)) return [];
  const { record } = group;
  return [
    {
      ...wanted,
      dgid: record.mgid,
      dlid: record.mlid,
      rawTraffic: false,
      flowLabel: record.flowLabel,
      hopLimit: mgidScope(record) === LINK_LOCAL_SCOPE ? record.hopLimit : 0xff,
      tclass: record.tclass,
      reversible: false,
      numbPath: 1,
      pkey: record.pkey,
      qosClass: 0,
      sl: record.sl,
      mtuSelector: Selector.EXACTLY,
      mtu: record.mtu,
      rateSelector: Selector.EXACTLY,
      rate: record.rate,
      packetLifeTimeSelector: Selector.EXACTLY,
      packetLifeTime: record.packetLifeTime,
    },
  ];
}

function mgidScope(record: McMemberRecord): number {
  return Number((record.mgid >> 112n) & 0xfn);
}

function fits(wanted: PathRecord, mask: bigint, method: number, group: MulticastGroup, sm: SubnetManager): boolean {
  const { record, members } = group;
  const asks = (field: keyof typeof C) => (mask & C[field]) !== 0n;
  if (asks("dlid") && wanted.dlid !== record.mlid) return false;
  const source = asks("sgid") ? sm.subnet.portByGuid(Gid.guid(wanted.sgid)) : undefined;
  if (asks("sgid") && (source === undefined || !members.has(source))) return false;
  const byLid = asks("slid") ? sm.subnet.portByLid(wanted.slid) : undefined;
  if (asks("slid") && (byLid === undefined || !members.has(byLid))) return false;
  if (asks("pkey") && wanted.pkey !== record.pkey) return false;
  if (asks("sl") && wanted.sl !== record.sl) return false;
  if (asks("numbPath") && method !== MadMethod.GET && wanted.numbPath === 0) return false;
  if (asks("flowLabel") && wanted.flowLabel !== record.flowLabel) return false;
  if (asks("hopLimit") && wanted.hopLimit !== record.hopLimit) return false;
  return !asks("tclass") || wanted.tclass === record.tclass;
}
