import { Mtu, type PathRecord, PKey, Rate } from "@verbena/ib";
import type { GroupStatus } from "../sdk/group.js";

/** The SA's paths between two ports, one each way; absent = it knows none. */
export interface BothWays {
  readonly forward: PathRecord | undefined;
  readonly reverse: PathRecord | undefined;
}

/**
 * Why the SA's paths do not allow what a path made of nothing but a group's parameters takes for granted: the same SL, MTU, rate and partition each way,
 * with the LIDs exchanged (reversible, IBA 13.5.4). In words; empty = they agree. `pkey`: the endpoint's.
 */
export function groupProblems(group: GroupStatus, pkey: PKey, { forward, reverse }: BothWays): readonly string[] {
  return [...wayProblems(group, pkey, forward, "there"), ...wayProblems(group, pkey, reverse, "back")];
}

function wayProblems(group: GroupStatus, pkey: PKey, path: PathRecord | undefined, way: string): readonly string[] {
  if (path === undefined) return [`the SA knows no path ${way} in partition ${PKey.format(pkey)}`];
  const { sl, mtu, rate } = group;
  return [
    ...(path.reversible ? [] : [`the path ${way} is not reversible`]),
    ...(path.sl === sl ? [] : [`SL ${String(sl)}, but the path ${way} has SL ${String(path.sl)}`]),
    ...(mtu <= path.mtu ? [] : [`MTU ${mtuText(mtu)}, but the path ${way} has ${mtuText(path.mtu)}`]),
    ...(Rate.compare(rate, path.rate) <= 0
      ? []
      : [`${rateText(rate)}, but the path ${way} has ${rateText(path.rate)}`]),
    ...(PKey.samePartition(path.pkey, pkey)
      ? []
      : [`partition ${PKey.format(pkey)}, but the path ${way} is in ${PKey.format(path.pkey)}`]),
  ];
}

function mtuText(mtu: Mtu): string {
  return String(Mtu.toBytes(mtu) ?? `code ${String(mtu)}`);
}

function rateText(rate: Rate): string {
  const gbps = Rate.toGbps(rate);
  return gbps === undefined ? `rate code ${String(rate)}` : `${String(gbps)} Gb/s`;
}
