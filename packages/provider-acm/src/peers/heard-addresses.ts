import type { Clock, Destination, LocalAddress } from "@verbena/core/sdk";
import { addressKey } from "../wire/acm-address.js";
import { LruMap } from "./lru-map.js";
import type { Peer } from "./peer.js";

/** What is heard again within this time, milliseconds, and says the same, is no news: requests are repeated. */
const NEWS_MS = 1_000;

/** After so many questions to an owner alone everybody is asked too: whoever has taken the address beside him is not heard otherwise. */
const EVERYBODY_EVERY = 12;

interface Owner {
  readonly peer: Peer;
  readonly at: number;
  /** How often he alone has been asked. */
  asked: number;
}

/** Whose the addresses are that were heard; the one unheard longest makes room. The answers themselves are in the core's cache. */
export class HeardAddresses {
  readonly #owners: LruMap<string, Owner>;
  /** On the clock: whatever is heard for the first time from then on is news. */
  #doubtedAt = Number.NEGATIVE_INFINITY;

  constructor(
    limit: number,
    private readonly clock: Clock,
  ) {
    this.#owners = new LruMap(limit);
  }

  /** Whether it was this peer's when it was heard last. */
  isKnown(address: Destination, { gid }: Peer): boolean {
    return this.#owners.get(addressKey(address))?.peer.gid === gid;
  }

  /** Whose it was when it was heard, or answered for, last. */
  owner(address: Destination): Peer | undefined {
    return this.#owners.get(addressKey(address))?.peer;
  }

  /** Its owner is being asked for it: whether it is time to ask everybody too. */
  isEverybodysTurn(address: Destination): boolean {
    const known = this.#owners.get(addressKey(address));
    if (known === undefined) return false;
    known.asked = (known.asked + 1) % EVERYBODY_EVERY;
    return known.asked === 0;
  }

  /** Since what is remembered of it was heard, milliseconds; `undefined` if nothing is. */
  ageMs(address: Destination): number | undefined {
    const known = this.#owners.get(addressKey(address));
    return known && this.clock.now() - known.at;
  }

  /** Remembers it. False: nothing of it is new, and it was heard a moment ago. */
  hear(address: Destination, peer: Peer): boolean {
    const key = addressKey(address);
    const before = this.#owners.get(key);
    const at = this.clock.now();
    const isRecent = before !== undefined && before.at > this.#doubtedAt && at - before.at < NEWS_MS;
    if (isRecent && isSame(before.peer, peer)) return false;
    this.#owners.set(key, { peer, at, asked: before?.peer.gid === peer.gid ? before.asked : 0 });
    return true;
  }

  forget(address: LocalAddress): void {
    this.#owners.delete(addressKey(address));
  }

  /** The core doubts what it was taught: everything is news again, though whose it was stays known. */
  doubt(): void {
    this.#doubtedAt = this.clock.now();
  }

  clear(): void {
    this.#owners.clear();
  }
}

function isSame(a: Peer, b: Peer): boolean {
  return a.gid === b.gid && a.lid === b.lid && a.qpn === b.qpn && a.mgid === b.mgid;
}
