import {
  MC_MEMBER_COMPONENTS as C,
  ComponentMask,
  decodeMcMemberRecord,
  encodeMcMemberRecord,
  Gid,
  MadMethod,
  MadStatus,
  MC_MEMBER_RECORD_SIZE,
  type McMemberRecord,
} from "@verbena/ib";
import type { MulticastGroup } from "../sm/multicast-groups.js";
import { isInPartition, type SaHandler, type SaRequest } from "./handler.js";
import { matchesFields } from "./match.js";
import { fitsGroup, join, leave } from "./mc-member-join.js";

/** MCMemberRecord Get, GetTable, Set and Delete (IBA 15.2.5.17). */
export const answerMcMemberRecord: SaHandler = (request, sm) => {
  const wanted = decodeMcMemberRecord(request.mad.data);
  switch (request.mad.method) {
    case MadMethod.SET:
      return join(request, wanted, sm);
    case MadMethod.DELETE:
      return leave(request, wanted, sm);
    case MadMethod.GET:
    case MadMethod.GET_TABLE: {
      const records = sm.groups.all().flatMap((group) => query(request, wanted, group));
      return { records: records.map(encodeMcMemberRecord), size: MC_MEMBER_RECORD_SIZE };
    }
    default:
      return { status: MadStatus.METHOD_ATTRIBUTE_NOT_SUPPORTED };
  }
};

/** What names a group. */
const NAMES = ["mgid", "mlid"] as const;

/** One record for the group, or, for a trusted requester that names no port, one for each member. */
function query(request: SaRequest, wanted: McMemberRecord, group: MulticastGroup): readonly McMemberRecord[] {
  const mask = request.mad.componentMask;
  const { record, members } = group;
  const has = (field: keyof McMemberRecord) => ComponentMask.has(C, mask, field);
  if (!isInPartition(request.requester, record.pkey)) return [];
  if (!matchesFields(C, mask & ComponentMask.of(C, NAMES), wanted, record)) return [];
  if (!fitsGroup(wanted, mask, record)) return [];

  const all = [...members.values()];
  const chosen = has("portGid") ? all.filter((one) => one.port.guid === Gid.guid(wanted.portGid)) : all;
  const isOpen = !request.isTrusted && !has("portGid");
  const fits = (scope: number, joinState: number) =>
    (!has("scope") || scope === wanted.scope) && (!has("joinState") || joinState === wanted.joinState);
  // Join states are not shown to others, and so cannot be asked for by them.
  if (isOpen) return !has("scope") || record.scope === wanted.scope ? [record] : [];
  const found = chosen
    .filter((one) => fits(one.scope, one.joinState))
    .map((one) => ({
      ...record,
      portGid: one.portGid,
      scope: one.scope,
      joinState: one.joinState,
      proxyJoin: one.proxyJoin,
    }));
  if (request.isTrusted) return found;
  return found.map((one) => ({ ...one, portGid: Gid.zero, joinState: 0, proxyJoin: false }));
}
