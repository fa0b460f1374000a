import type { Clock } from "@verbena/core/sdk";
import { type Gid, Lid } from "@verbena/ib";
import { LruMap } from "./lru-map.js";
import type { Peer } from "./peer.js";

/** How long what a packet has shown of its sender's place is taken to hold without another one, milliseconds. */
const MOMENT_MS = 2_000;

/** Peers that were heard, by GID; the one unheard longest makes room. */
export class PeerTable {
  readonly #peers: LruMap<Gid, { readonly peer: Peer; readonly at: number }>;

  constructor(
    limit: number,
    private readonly clock: Clock,
  ) {
    this.#peers = new LruMap(limit);
  }

  get size(): number {
    return this.#peers.size;
  }

  /**
   * Remembers a peer. Gives what was known of it if that was another LID. Packets may come from any of a port's LIDs, of which a subnet gives all its
   * ports as many: 2^`lmc`.
   */
  hear(peer: Peer, lmc: number): Peer | undefined {
    const before = this.#peers.get(peer.gid)?.peer;
    this.#peers.set(peer.gid, { peer, at: this.clock.now() });
    return before === undefined || Lid.base(before.lid, lmc) === Lid.base(peer.lid, lmc) ? undefined : before;
  }

  get(gid: Gid): Peer | undefined {
    return this.#peers.get(gid)?.peer;
  }

  /** The peer, if it was heard a moment ago: it is where it was. */
  justHeard(gid: Gid): Peer | undefined {
    const known = this.#peers.get(gid);
    return known !== undefined && this.clock.now() - known.at < MOMENT_MS ? known.peer : undefined;
  }

  delete(gid: Gid): void {
    this.#peers.delete(gid);
  }

  clear(): void {
    this.#peers.clear();
  }
}
