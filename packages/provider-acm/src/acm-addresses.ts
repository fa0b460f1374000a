import type { AddressAnswer, AddressProvider, Destination, ResolveContext } from "@verbena/core/sdk";
import type { Inquiry } from "./inquiry.js";
import { acmHint } from "./peers/acm-hint.js";

/** Asks the peers. GIDs and LIDs are their own answer. */
export class AcmAddresses implements AddressProvider {
  constructor(private readonly inquiry: Inquiry) {}

  async resolveAddress(
    to: Destination,
    { signal, deadline, source }: ResolveContext,
  ): Promise<AddressAnswer | undefined> {
    if (to.kind === "gid") return { gid: to.gid };
    if (to.kind === "lid") return { lid: to.lid };
    const peer = await this.inquiry.find(to, { signal, deadline, ...(source === undefined ? {} : { source }) });
    // The GID alone: a LID may change while the answer is remembered.
    return peer && { gid: peer.gid, group: peer.mgid, hint: acmHint(peer, to) };
  }
}
