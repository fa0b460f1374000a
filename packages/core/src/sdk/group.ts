import type { Gid, Lid, Mtu, Rate } from "@verbena/ib";

/** `joining`: the SA has not answered yet; `failed`: it refused or was silent, and is asked again; `left-out`: known, and not asked for. */
export type GroupState = "joining" | "joined" | "failed" | "left-out";

/** A multicast group that a provider uses on an endpoint. */
export interface GroupStatus {
  readonly mgid: Gid;
  /**
   * `base`: questions are sent to it and heard on it; `preferred`: its parameters are used for paths; `foreign`: others of the partition use it and this
   * endpoint does not.
   */
  readonly role: "base" | "preferred" | "foreign";
  readonly state: GroupState;
  /** While the port is a member. */
  readonly mlid?: Lid;
  readonly rate: Rate;
  readonly mtu: Mtu;
  readonly sl: number;
  readonly trafficClass: number;
  /** Why it is not joined, or what follows from it, and what to do. */
  readonly problem?: string;
}
