import type { Destination, LocalAddress, Port } from "@verbena/core/sdk";
import { type Gid, Lid } from "@verbena/ib";
import { addressKey, addressType } from "../wire/acm-address.js";

/** The names and addresses of an endpoint: what it answers for, and what it asks with. */
export class OwnAddresses {
  readonly #byKey = new Map<string, LocalAddress>();

  constructor(
    addresses: readonly LocalAddress[],
    private readonly port: () => Pick<Port, "gids" | "lid" | "lmc">,
  ) {
    for (const address of addresses) this.add(address);
  }

  /** False if it was there. */
  add(address: LocalAddress): boolean {
    const key = addressKey(address);
    if (this.#byKey.has(key)) return false;
    this.#byKey.set(key, address);
    return true;
  }

  remove(address: LocalAddress): void {
    this.#byKey.delete(addressKey(address));
  }

  values(): Iterable<LocalAddress> {
    return this.#byKey.values();
  }

  find(address: Destination): LocalAddress | undefined {
    return this.#byKey.get(addressKey(address));
  }

  /** Whether a request for it is for this endpoint. The port's own GIDs and LIDs are. */
  has(address: Destination): boolean {
    const { gids, lid, lmc } = this.port();
    if (address.kind === "gid") return gids.includes(address.gid);
    if (address.kind === "lid") return Lid.base(address.lid, lmc) === Lid.base(lid, lmc);
    return this.#byKey.has(addressKey(address));
  }

  /** Whether the GID is one of this port. */
  isOwnGid(gid: Gid): boolean {
    return this.port().gids.includes(gid);
  }

  /**
   * What a question names as its source: who asks, as spelled, if that is an address of this endpoint, else the first address of the kind that is asked for, else
   * the first there is.
   */
  sourceFor(destination: Destination, asker?: Destination): Destination | LocalAddress | undefined {
    if (asker !== undefined && this.find(asker) !== undefined) return asker;
    const type = addressType(destination);
    let first: LocalAddress | undefined;
    for (const address of this.#byKey.values()) {
      if (addressType(address) === type) return address;
      first ??= address;
    }
    return first;
  }
}
