import {
  MC_MEMBER_COMPONENTS as C,
  ComponentMask,
  encodeMcMemberRecord,
  Gid,
  JoinState,
  MadStatus,
  MC_MEMBER_RECORD_SIZE,
  type McMemberRecord,
  Mtu,
  PKey,
  Rate,
  Selector,
} from "@verbena/ib";
import type { FabricPort } from "../fabric/port.js";
import type { MulticastGroup } from "../sm/multicast-groups.js";
import type { SubnetManager } from "../sm/subnet-manager.js";
import { isInPartition, type SaAnswer, type SaRequest, sharePartition } from "./handler.js";
import { fitsSelector, matchesFields } from "./match.js";

/** Components without which nobody joins or leaves (IBA 15.2.5.17.2). */
const NEEDED_TO_JOIN = C.mgid | C.portGid | C.joinState;
/** Components without which no group is created. */
const NEEDED_TO_CREATE = NEEDED_TO_JOIN | C.qkey | C.tclass | C.pkey | C.flowLabel | C.sl;
/** Memberships that keep a group alive, and so may create one. */
const KEEPS_ALIVE = JoinState.FULL_MEMBER | JoinState.SEND_ONLY_FULL_MEMBER;

/** Fields that must be equal; MTU, rate and P_Key have rules of their own, lifetime is not looked at. */
const EQUAL = ["qkey", "tclass", "sl", "flowLabel", "hopLimit"] as const;

const invalid: SaAnswer = { status: MadStatus.SA_REQ_INVALID };

/** MCMemberRecord Set: join a group, and create it first if there is none. */
export function join(request: SaRequest, wanted: McMemberRecord, sm: SubnetManager): SaAnswer {
  const mask = request.mad.componentMask;
  if ((mask & NEEDED_TO_JOIN) !== NEEDED_TO_JOIN) return { status: MadStatus.SA_INSUFFICIENT_COMPONENTS };
  const port = sm.subnet.portByGuid(Gid.guid(wanted.portGid));
  if (port === undefined) return invalid;
  const isProxy = port !== request.requester;
  if (isProxy && !sharePartition(port, request.requester)) return invalid;

  let group = sm.groups.byMgid(wanted.mgid);
  const isNew = group === undefined;
  if (group === undefined) {
    if ((wanted.joinState & KEEPS_ALIVE) === 0) return invalid;
    if ((mask & NEEDED_TO_CREATE) !== NEEDED_TO_CREATE) return { status: MadStatus.SA_INSUFFICIENT_COMPONENTS };
    if (!isInPartition(port, wanted.pkey)) return invalid;
    const created = create(wanted, mask, port, sm);
    if ("status" in created) return created;
    group = created;
  }
  if (!canJoin(group, wanted, mask, port) || (!isNew && !mayModify(group, port, request))) {
    return invalid;
  }
  if (isNew) sm.groups.create(group.record, false);
  const known = sm.groups.byMgid(group.record.mgid) ?? group;
  const member = sm.groups.join(known, {
    port,
    portGid: wanted.portGid,
    scope: wanted.scope,
    joinState: wanted.joinState,
    proxyJoin: isProxy,
  });
  return answer({
    ...known.record,
    portGid: wanted.portGid,
    scope: wanted.scope,
    joinState: member.joinState,
    proxyJoin: wanted.proxyJoin,
  });
}

/** MCMemberRecord Delete: give up join-state bits. */
export function leave(request: SaRequest, wanted: McMemberRecord, sm: SubnetManager): SaAnswer {
  const mask = request.mad.componentMask;
  if ((mask & NEEDED_TO_JOIN) !== NEEDED_TO_JOIN) return { status: MadStatus.SA_INSUFFICIENT_COMPONENTS };
  const group = sm.groups.byMgid(wanted.mgid);
  const port = sm.subnet.portByGuid(Gid.guid(wanted.portGid));
  const member = port === undefined ? undefined : group?.members.get(port);
  if (group === undefined || port === undefined || member === undefined) return invalid;
  const isPart = (wanted.joinState & member.joinState) !== 0 && (wanted.joinState & ~member.joinState) === 0;
  if (!isPart || !mayModify(group, port, request)) return invalid;
  sm.groups.leave(group, member, wanted.joinState);
  return answer({ ...wanted, joinState: member.joinState });
}

function answer(record: McMemberRecord): SaAnswer {
  const exact: McMemberRecord = {
    ...record,
    mtuSelector: Selector.EXACTLY,
    rateSelector: Selector.EXACTLY,
    packetLifeTimeSelector: Selector.EXACTLY,
  };
  return { records: [encodeMcMemberRecord(exact)], size: MC_MEMBER_RECORD_SIZE };
}

/** Without proxy join only the member itself changes its membership; with it, anyone of the partition. */
function mayModify(group: MulticastGroup, port: FabricPort, { requester }: SaRequest): boolean {
  const member = group.members.get(port);
  if (member === undefined) return true;
  return member.proxyJoin ? isInPartition(requester, group.record.pkey) : port === requester;
}

/** The group fits what the request asks, and the port can carry the group. */
function canJoin(group: MulticastGroup, wanted: McMemberRecord, mask: bigint, port: FabricPort): boolean {
  const { record } = group;
  return (
    wanted.joinState !== 0 &&
    isInPartition(port, record.pkey) &&
    fitsGroup(wanted, mask, record) &&
    port.mtuCap >= record.mtu &&
    Rate.compare(port.rate, record.rate) >= 0
  );
}

/** What a request asks of a group. A selector without its value counts, with the value as it stands; P_Keys match as partitions. */
export function fitsGroup(wanted: McMemberRecord, mask: bigint, record: McMemberRecord): boolean {
  if ((mask & C.pkey) !== 0n && !PKey.samePartition(wanted.pkey, record.pkey)) return false;
  if (!matchesFields(C, mask & ComponentMask.of(C, EQUAL), wanted, record)) return false;
  const mtu = (mask & C.mtuSelector) === 0n || fitsSelector(wanted.mtuSelector, wanted.mtu, record.mtu);
  const compareRates = (a: number, b: number) => Rate.compare(Rate.from(a), Rate.from(b));
  const rate =
    (mask & C.rateSelector) === 0n || fitsSelector(wanted.rateSelector, wanted.rate, record.rate, compareRates);
  return mtu && rate;
}

/** A new group's parameters; those the request leaves open come from the port. The group is not entered yet. */
function create(
  wanted: McMemberRecord,
  mask: bigint,
  port: FabricPort,
  sm: SubnetManager,
): MulticastGroup | { readonly status: number } {
  const scope = (mask & C.scope) === 0n ? 2 : wanted.scope;
  const mgid = wanted.mgid === Gid.zero ? sm.groups.freeMgid(scope, port.gidPrefix) : wanted.mgid;
  if (!isValidMgid(mgid) && wanted.mgid !== Gid.zero) return { status: MadStatus.SA_REQ_INVALID };
  const mtu = chooseMtu(wanted, mask, port.mtuCap);
  const rate = chooseRate(wanted, mask, port.rate);
  if (mtu === undefined || rate === undefined) return { status: MadStatus.SA_REQ_INVALID };
  const mlid = sm.groups.freeMlid(wanted.mlid);
  if (mlid === undefined) return { status: MadStatus.SA_NO_RESOURCES };
  const record: McMemberRecord = {
    ...wanted,
    mgid,
    portGid: Gid.zero,
    mlid,
    mtuSelector: Selector.EXACTLY,
    mtu,
    rateSelector: Selector.EXACTLY,
    rate,
    packetLifeTimeSelector: Selector.EXACTLY,
    packetLifeTime: wanted.packetLifeTime,
    joinState: 0,
    proxyJoin: false,
  };
  return { record, isWellKnown: false, members: new Map() };
}

/** IBA 4.1.1, and: nobody but the SA makes link-local MGIDs with its signature. IPoIB's signatures are taken as they are. */
function isValidMgid(mgid: Gid): boolean {
  const signature = Number((mgid >> 96n) & 0xffffn);
  if (!Gid.isMulticast(mgid)) return false;
  if (signature === 0x401b || signature === 0x601b) return true;
  const flags = Number((mgid >> 116n) & 0xfn);
  const scope = Number((mgid >> 112n) & 0xfn);
  return (flags & 0xe) === 0 && !(signature === 0xa01b && scope === 2);
}

function chooseMtu(wanted: McMemberRecord, mask: bigint, own: Mtu): Mtu | undefined {
  const isOpen = (mask & C.mtu) === 0n || (mask & C.mtuSelector) === 0n || wanted.mtuSelector === Selector.BEST;
  if (isOpen) return own;
  let mtu: number = wanted.mtu;
  if (wanted.mtuSelector === Selector.GREATER) {
    if (mtu >= own) return undefined;
    mtu = own;
  } else if (wanted.mtuSelector === Selector.LESS) mtu = mtu > own ? own : mtu - 1;
  return mtu >= Mtu.MTU_256 && mtu <= Mtu.MTU_4096 ? Mtu.from(mtu) : undefined;
}

function chooseRate(wanted: McMemberRecord, mask: bigint, own: Rate): Rate | undefined {
  const isOpen = (mask & C.rate) === 0n || (mask & C.rateSelector) === 0n || wanted.rateSelector === Selector.BEST;
  if (isOpen) return own;
  if (wanted.rateSelector === Selector.GREATER) return Rate.compare(wanted.rate, own) >= 0 ? undefined : own;
  if (wanted.rateSelector === Selector.LESS) {
    return Rate.compare(wanted.rate, own) > 0
      ? own
      : Rate.all().findLast((rate) => Rate.compare(rate, wanted.rate) < 0);
  }
  return Rate.toGbps(wanted.rate) === undefined ? undefined : wanted.rate;
}
