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

/** Address handles by way; the one used longest ago makes room. */
export class AddressHandles {
  readonly #handles: LruMap<string, AddressHandle>;

  /** `inFlight`: so many may be in use at once; they are the ones used last, and stay. */
  constructor(
    private readonly pd: ProtectionDomain,
    private readonly port: number,
    inFlight: number,
  ) {
    this.#handles = new LruMap(Math.max(MIN_KEPT, inFlight), (handle) => {
      void handle.close();
    });
  }

  /** Throws `VERBENA_NATIVE_CREATE`. */
  of({ dlid, dgid, pathBits, sgidIndex, group }: Way): AddressHandle {
    const { mgid, sl, rate, hopLimit, tclass, flowLabel } = group;
    const key = `${String(dlid)} ${String(pathBits)} ${Gid.format(dgid)} ${Gid.format(mgid)} ${String(sl)}`;
    const known = this.#handles.get(key);
    if (known !== undefined) return known;
    const made = this.pd.createAddressHandle({
      port: this.port,
      dlid,
      sl,
      pathBits,
      staticRate: rate,
      grh: { dgid, sgidIndex, hopLimit, trafficClass: tclass, flowLabel },
    });
    this.#handles.set(key, made);
    return made;
  }
}
