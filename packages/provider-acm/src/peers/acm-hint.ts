import type { Gid, Lid } from "@verbena/ib";
import type { Peer } from "./peer.js";

/** What the address step tells the route step, as an answer's hint: the peer's LID and the group to go by. */
export interface AcmHint {
  readonly kind: "acm-peer";
  readonly lid: Lid;
  readonly mgid: Gid;
}

export function acmHint({ lid, mgid }: Peer): AcmHint {
  return { kind: "acm-peer", lid, mgid };
}

/** Whether a hint is one of ours: other providers have their own. */
export function isAcmHint(hint: unknown): hint is AcmHint {
  return typeof hint === "object" && hint !== null && "kind" in hint && hint.kind === "acm-peer";
}
