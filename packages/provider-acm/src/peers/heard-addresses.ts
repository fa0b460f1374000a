import type { Destination, LocalAddress } from "@verbena/core/sdk";
import type { Gid } from "@verbena/ib";
import { addressKey } from "../wire/acm-address.js";
import { LruMap } from "./lru-map.js";
import type { Peer } from "./peer.js";

/** Whose the addresses are that were heard; the one unheard longest makes room. The answers themselves are in the core's cache. */
export class HeardAddresses {
  readonly #owners: LruMap<string, Gid>;

  constructor(limit: number) {
    this.#owners = new LruMap(limit);
  }

  isKnown(address: Destination, { gid }: Peer): boolean {
    return this.#owners.get(addressKey(address)) === gid;
  }

  hear(address: Destination | LocalAddress, { gid }: Peer): void {
    this.#owners.set(addressKey(address), gid);
  }

  forget(address: LocalAddress): void {
    this.#owners.delete(addressKey(address));
  }

  clear(): void {
    this.#owners.clear();
  }
}
