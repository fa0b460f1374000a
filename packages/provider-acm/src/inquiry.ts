import type { Clock, Destination } from "@verbena/core/sdk";
import { VerbenaError } from "@verbena/ib";
import type { Peer } from "./peers/peer.js";
import type { OwnAddresses } from "./protocol/own-addresses.js";
import type { AskOptions, Requester } from "./protocol/requester.js";

export interface InquiryParts {
  readonly requester: Pick<Requester, "ask">;
  readonly addresses: Pick<OwnAddresses, "sourceFor">;
  readonly clock: Clock;
  /** Longest time for one address, milliseconds. */
  readonly askingTimeMs: () => number;
  /** Who had it last. */
  readonly ownerOf: (address: Destination) => Peer | undefined;
  /** Whoever had it last is asked whether he has it still: whether everybody is asked too this time. */
  readonly isEverybodysTurn: (address: Destination) => boolean;
  /** Who has answered for what. */
  readonly onPeer: (peer: Peer, destination: Destination) => void;
  /** What was known of an address is confirmed, or is another's now. */
  readonly onFoundAgain: (peer: Peer, destination: Destination) => void;
}

export interface InquiryOptions extends AskOptions {
  /** As whom the client asks. */
  readonly source?: Destination;
}

/** How long somebody who was found before is asked where he is, milliseconds: the subnet administrator knows too. */
const SEEKING_MS = 1_000;

/** Asks who has an address, in the name of one of the own. */
export class Inquiry {
  constructor(private readonly parts: InquiryParts) {}

  /** Who has it? `known`, or who had it last, is asked first. `undefined` and rejections: {@link Requester.ask}. */
  async find(to: Destination, options: InquiryOptions): Promise<Peer | undefined> {
    const { requester, addresses, clock, askingTimeMs, ownerOf, isEverybodysTurn, onPeer } = this.parts;
    const { signal, deadline, source: asker } = options;
    const known = options.known ?? ownerOf(to);
    const source = addresses.sourceFor(to, asker);
    // An endpoint without an address has nothing to be answered to.
    if (source === undefined) return undefined;
    const until = Math.min(deadline, clock.now() + askingTimeMs());
    // Where somebody is may be asked each minute; whose an address is seldom.
    const asksOthers = options.known === undefined && known !== undefined && isEverybodysTurn(to);
    const last = known === undefined ? {} : { known, asksOthers };
    const peer = await requester.ask(to, source, { signal, deadline: until, ...last });
    if (peer !== undefined) onPeer(peer, to);
    return peer;
  }

  /** Is who had it still where he was, or where else? He is asked alone, then everybody. `undefined`: nobody has said anything. */
  async seek(to: Destination, known: Peer, { signal, deadline, ...asker }: InquiryOptions): Promise<Peer | undefined> {
    const until = Math.min(deadline, this.parts.clock.now() + SEEKING_MS);
    try {
      const peer = await this.find(to, { ...asker, signal, deadline: until, known });
      if (peer !== undefined) this.parts.onFoundAgain(peer, to);
      return peer;
    } catch (error) {
      if (VerbenaError.is(error)) return undefined;
      throw error;
    }
  }
}
