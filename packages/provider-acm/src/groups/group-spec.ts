import { acmMgid, type Gid, type Mtu, type PKey, Rate } from "@verbena/ib";

/** Q_Key of every ACM group and queue pair; bit 31 makes it a privileged one. */
export const ACM_QKEY = 0x8001_0000;

/** A multicast group as it is asked for. */
export interface GroupSpec {
  /** `base`: requests are sent to it and heard on it; `preferred`: only its parameters are used, for paths. */
  readonly role: "base" | "preferred";
  readonly mgid: Gid;
  /** The endpoint's own, membership bit as in the port's table. */
  readonly pkey: PKey;
  readonly rate: Rate;
  readonly mtu: Mtu;
  readonly sl: number;
  readonly trafficClass: number;
}

/** A group by its parameters. */
export function groupSpec(
  role: GroupSpec["role"],
  pkey: PKey,
  { rate, mtu, sl = 0, trafficClass = 0 }: Pick<GroupSpec, "rate" | "mtu"> & Partial<GroupSpec>,
): GroupSpec {
  const mgid = acmMgid({ pkey, rate, mtu, tos: trafficClass, sl });
  return { role, mgid, pkey, rate, mtu, sl, trafficClass };
}

type Preference = Pick<GroupSpec, "rate" | "mtu" | "sl" | "trafficClass">;

/**
 * The one rule of preference: the faster group, then the larger MTU, then the lower SL, then the lower traffic class. Negative if `a` is
 * less preferred than `b`.
 */
export function compareGroups(a: Preference, b: Preference): number {
  return Rate.compare(a.rate, b.rate) || a.mtu - b.mtu || b.sl - a.sl || b.trafficClass - a.trafficClass;
}
