import type { AddressHandle, ProtectionDomain } from "@verbena/core/sdk";
import { Gid, type McMemberRecord } from "@verbena/ib";
import { LruMap } from "../peers/lru-map.js";

/** Where a datagram goes, and how: the parameters of a group towards one LID and GID. */
export interface Way {
  readonly dlid: number;
  readonly dgid: Gid;
  readonly pathBits: number;
  readonly sgidIndex: number;
  readonly group: Pick<McMemberRecord, "mgid" | "sl" | "rate" | "hopLimit" | "tclass" | "flowLabel">;
}

/** Handles are kept for so many ways at least. */
const MIN_KEPT = 256;

/** Address handles by way, made at first use; the one used longest ago makes room. */
export class AddressHandles {
  readonly #ready: LruMap<string, AddressHandle>;
  readonly #making = new Map<string, Promise<AddressHandle>>();

  /** `inFlight`: so many may be in use at once; they are the ones used last, and stay. */
  constructor(
    private readonly pd: ProtectionDomain,
    private readonly port: number,
    inFlight: number,
  ) {
    this.#ready = new LruMap(Math.max(MIN_KEPT, inFlight), (handle) => {
      void handle.close();
    });
  }

  /** The handle, or a promise of it where it has to be made; rejects with `VERBENA_NATIVE_CREATE`. */
  of(way: Way): AddressHandle | Promise<AddressHandle> {
    const key = keyOf(way);
    const known = this.#ready.get(key) ?? this.#making.get(key);
    if (known !== undefined) return known;
    const making = this.#make(way, key).finally(() => this.#making.delete(key));
    this.#making.set(key, making);
    return making;
  }

  async #make({ dlid, dgid, pathBits, sgidIndex, group }: Way, key: string): Promise<AddressHandle> {
    const handle = await this.pd.createAddressHandle({
      port: this.port,
      dlid,
      sl: group.sl,
      pathBits,
      staticRate: group.rate,
      grh: {
        dgid,
        sgidIndex,
        hopLimit: group.hopLimit,
        trafficClass: group.tclass,
        flowLabel: group.flowLabel,
      },
    });
    this.#ready.set(key, handle);
    return handle;
  }
}

function keyOf({ dlid, dgid, pathBits, group }: Way): string {
  return `${String(dlid)} ${String(pathBits)} ${Gid.format(dgid)} ${Gid.format(group.mgid)} ${String(group.sl)}`;
}
