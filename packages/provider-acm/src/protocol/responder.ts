import type { Clock, Destination } from "@verbena/core/sdk";
import type { AcmMad, Gid, McMemberRecord } from "@verbena/ib";
import { chooseGroup } from "../groups/group-choice.js";
import type { Peer } from "../peers/peer.js";
import { RateLimiter } from "../peers/rate-limit.js";
import { decodeAddress } from "../wire/acm-address.js";
import type { Sender } from "../wire/packet.js";
import type { AcmCounts } from "./counts.js";
import { Credits } from "./credits.js";
import { responseMad } from "./messages.js";
import type { OwnAddresses } from "./own-addresses.js";

/** Responses to one peer: what a host that starts a large job may ask for, and no flood. */
const RESPONSES = { burst: 128, perSecond: 64 } as const;
/** Addresses learnt of one peer that were unknown, or somebody else's: a host has some. */
const LEARNING = { burst: 256, perSecond: 32 } as const;
/** Peers whose rates are remembered. */
const REMEMBERED = 4_096;
/** Responses that wait for the send queue; who gets none asks again. */
const MAX_WAITING = 4_096;

export interface ResponderParts {
  readonly clock: Clock;
  readonly addresses: OwnAddresses;
  readonly own: () => ReadonlyMap<Gid, McMemberRecord>;
  /** Responses in the send queue at once. */
  readonly sendDepth: number;
  /** Sends to one peer; `done` is called when the device is through with it. False if it could not. */
  readonly reply: (to: Sender, group: McMemberRecord, message: Buffer, done: () => void) => boolean;
  readonly counts: AcmCounts;
  /** A peer with an address of its own was heard. */
  readonly onHeard: (source: Destination, peer: Peer) => void;
  /** Whether an address is already known to be this peer's. */
  readonly isKnown: (source: Destination, peer: Peer) => boolean;
  /** Somebody else claims an address of ours. */
  readonly onClaim: (address: Destination, by: Gid) => void;
}

interface Job {
  readonly to: Sender;
  readonly group: McMemberRecord;
  readonly message: Buffer;
}

/** Hears requests: learns who asks, and answers at once what is asked of this endpoint. */
export class Responder {
  readonly #parts: ResponderParts;
  readonly #responses: RateLimiter<Gid>;
  readonly #learning: RateLimiter<Gid>;
  readonly #credits: Credits<Job>;
  #isClosed = false;

  constructor(parts: ResponderParts) {
    this.#parts = parts;
    this.#responses = new RateLimiter(RESPONSES, parts.clock, REMEMBERED);
    this.#learning = new RateLimiter(LEARNING, parts.clock, REMEMBERED);
    this.#credits = new Credits(parts.sendDepth, (job) => {
      this.#send(job);
    });
  }

  /** A request has come in. */
  take(mad: AcmMad, from: Sender): void {
    const { addresses, own, counts } = this.#parts;
    counts.requestsHeard += 1;
    const source = decodeAddress({ type: mad.srcType, info: mad.srcAddress });
    const wanted = decodeAddress({ type: mad.destType, info: mad.destAddress });
    if (source === undefined || wanted === undefined) {
      counts.dropped += 1;
      return;
    }
    const group = chooseGroup(mad.gids, own());
    if (group === undefined) {
      counts.noGroup += 1;
      return;
    }
    this.#learn(source, { gid: from.gid, lid: from.lid, qpn: from.qpn, mgid: group.mgid });
    if (!addresses.has(wanted)) return;
    counts.requestsForUs += 1;
    if (!this.#responses.take(from.gid) || this.#credits.waiting >= MAX_WAITING) {
      counts.limited += 1;
      return;
    }
    this.#credits.ask({ to: from, group, message: responseMad(mad.tid, group.mgid) });
  }

  close(): void {
    this.#isClosed = true;
  }

  #learn(source: Destination, peer: Peer): void {
    const { addresses, counts, onHeard, onClaim, isKnown } = this.#parts;
    if (addresses.find(source) !== undefined) {
      if (!addresses.isOwnGid(peer.gid)) onClaim(source, peer.gid);
      return;
    }
    // Who asks by GID or LID has told nothing that its packet does not.
    if (source.kind === "gid" || source.kind === "lid") return;
    if (!isKnown(source, peer) && !this.#learning.take(peer.gid)) counts.limited += 1;
    else onHeard(source, peer);
  }

  #send({ to, group, message }: Job): void {
    if (this.#isClosed) return;
    const done = (): void => {
      this.#credits.release();
    };
    if (this.#parts.reply(to, group, message, done)) this.#parts.counts.responsesSent += 1;
    else queueMicrotask(done);
  }
}
