import type { Destination } from "@verbena/core/sdk";
import type { Peer } from "./peer.js";

/** What the address step tells the route step, as an answer's hint: where the peer was, the group to go by, and by what name to ask for it again. */
export interface AcmHint {
  readonly kind: "acm-peer";
  readonly peer: Peer;
  readonly destination: Destination;
}

export function acmHint(peer: Peer, destination: Destination): AcmHint {
  return { kind: "acm-peer", peer, destination };
}

/** Whether a hint is one of ours: other providers have their own. */
export function isAcmHint(hint: unknown): hint is AcmHint {
  return typeof hint === "object" && hint !== null && "kind" in hint && hint.kind === "acm-peer";
}
