import type { Gid, Lid } from "@verbena/ib";

/** A peer as its last packet showed it. */
export interface Peer {
  readonly gid: Gid;
  readonly lid: Lid;
  readonly qpn: number;
  /** The group both ends are in, the best by the sender's order. */
  readonly mgid: Gid;
}
