import type { SaQuery } from "@verbena/core/sdk";
import {
  emptyMcMemberRecord,
  encodeMcMemberRecord,
  type Gid,
  JoinState,
  type McMemberRecord,
  mcMemberMask,
  SaAttribute,
  Selector,
} from "@verbena/ib";
import { ACM_QKEY, type GroupSpec } from "./group-spec.js";

/** Site-local, as byte 1 of every ACM MGID says. */
const SITE_LOCAL = 5;

/** The MCMemberRecord Set that joins a group, and creates it if it is not there: component mask 0x1B3F7. */
export function joinQuery(
  group: GroupSpec,
  portGid: Gid,
): Pick<SaQuery, "method" | "attributeId" | "componentMask" | "record"> {
  const fields: Partial<McMemberRecord> = {
    mgid: group.mgid,
    portGid,
    qkey: ACM_QKEY,
    mtuSelector: Selector.EXACTLY,
    mtu: group.mtu,
    tclass: group.trafficClass,
    pkey: group.pkey,
    rateSelector: Selector.EXACTLY,
    rate: group.rate,
    sl: group.sl,
    flowLabel: 0,
    scope: SITE_LOCAL,
    joinState: JoinState.FULL_MEMBER,
  };
  return {
    method: "set",
    attributeId: SaAttribute.MC_MEMBER_RECORD,
    componentMask: mcMemberMask(fields),
    record: encodeMcMemberRecord(emptyMcMemberRecord(fields)),
  };
}
