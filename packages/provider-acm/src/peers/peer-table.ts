import { type Gid, Lid } from "@verbena/ib";
import { LruMap } from "./lru-map.js";
import type { Peer } from "./peer.js";

/** Peers that were heard, by GID; the one unheard longest makes room. */
export class PeerTable {
  readonly #peers: LruMap<Gid, Peer>;

  constructor(limit: number) {
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
    const before = this.#peers.get(peer.gid);
    this.#peers.set(peer.gid, peer);
    return before === undefined || Lid.base(before.lid, lmc) === Lid.base(peer.lid, lmc) ? undefined : before;
  }

  get(gid: Gid): Peer | undefined {
    return this.#peers.get(gid);
  }

  delete(gid: Gid): void {
    this.#peers.delete(gid);
  }

  clear(): void {
    this.#peers.clear();
  }
}
