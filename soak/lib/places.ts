import type { Instant } from "./path-lives.js";

/** Where something was, from one moment to another. */
export interface Place {
  /** A host; of a host's LID, the LID. */
  readonly at: string;
  /** Machine time. */
  readonly fromMs: number;
  toSeq: number;
  /** Machine time; endless while it is there. */
  toMs: number;
}

const ENDLESS = Number.POSITIVE_INFINITY;

/** Where things are that move: IP addresses and alias GIDs on hosts, LIDs of hosts. */
export class Places {
  readonly #places = new Map<string, Place[]>();

  of(address: string): readonly Place[] {
    return this.#places.get(address) ?? [];
  }

  come(address: string, at: string, { atMs }: Instant): void {
    const places = this.#places.get(address) ?? [];
    this.#places.set(address, places);
    if (places.some((place) => place.at === at && place.toMs === ENDLESS)) return;
    places.push({ at, fromMs: atMs, toSeq: ENDLESS, toMs: ENDLESS });
  }

  go(address: string, at: string, { seq, atMs }: Instant): void {
    const place = this.#places.get(address)?.findLast((one) => one.at === at && one.toMs === ENDLESS);
    if (place === undefined) return;
    place.toSeq = seq;
    place.toMs = atMs;
  }

  /** The GIDs of a port; others that it had are gone. */
  keepGids(node: string, gids: ReadonlySet<string>, at: Instant): void {
    for (const [address, places] of this.#places)
      if (address.startsWith("fe80:") && !gids.has(address) && places.at(-1)?.at === node) this.go(address, node, at);
    for (const gid of gids) this.come(gid, node, at);
  }

  /** It is there now, and nowhere else. */
  move(what: string, to: string, when: Instant): void {
    for (const { at, toMs } of this.of(what)) if (at !== to && toMs === ENDLESS) this.go(what, at, when);
    this.come(what, to, when);
  }
}
