import type { Gid } from "@verbena/ib";
import { LruMap } from "./lru-map.js";
import type { Peer } from "./peer.js";

/** What is new about a peer. `restarted`: another queue pair; `moved`: another LID. */
export type PeerNews = "new" | "same" | "restarted" | "moved";

/** Peers that were heard, by GID; the one unheard longest makes room. */
export class PeerTable {
  readonly #peers: LruMap<Gid, Peer>;

  constructor(limit: number) {
    this.#peers = new LruMap(limit);
  }

  get size(): number {
    return this.#peers.size;
  }

  hear(peer: Peer): PeerNews {
    const before = this.#peers.get(peer.gid);
    this.#peers.set(peer.gid, peer);
    if (before === undefined) return "new";
    if (before.lid !== peer.lid) return "moved";
    return before.qpn === peer.qpn ? "same" : "restarted";
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
