import type { AddressAnswer, AddressProvider, Clock, Destination, ResolveContext } from "@verbena/core/sdk";
import { acmHint } from "./peers/acm-hint.js";
import type { Peer } from "./peers/peer.js";
import type { OwnAddresses } from "./protocol/own-addresses.js";
import type { Requester } from "./protocol/requester.js";

export interface AcmAddressesParts {
  readonly requester: Requester;
  readonly addresses: OwnAddresses;
  readonly clock: Clock;
  /** Longest time for one address, milliseconds. */
  readonly askingTimeMs: () => number;
  readonly onPeer: (peer: Peer) => void;
}

/** Asks the peers. GIDs and LIDs are their own answer. */
export class AcmAddresses implements AddressProvider {
  constructor(private readonly parts: AcmAddressesParts) {}

  async resolveAddress(to: Destination, { signal, deadline }: ResolveContext): Promise<AddressAnswer | undefined> {
    if (to.kind === "gid") return { gid: to.gid };
    if (to.kind === "lid") return { lid: to.lid };
    const { requester, addresses, clock, askingTimeMs, onPeer } = this.parts;
    const source = addresses.sourceFor(to);
    // An endpoint without an address has nothing to be answered to.
    if (source === undefined) return undefined;
    const until = Math.min(deadline, clock.now() + askingTimeMs());
    const peer = await requester.ask(to, source, { signal, deadline: until });
    if (peer === undefined) return undefined;
    onPeer(peer);
    // The GID alone: a LID may change while the answer is remembered.
    return { gid: peer.gid, hint: acmHint(peer) };
  }
}
