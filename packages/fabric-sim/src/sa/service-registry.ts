import type { SimClock } from "../fabric/services.js";

/** Lease that never ends. */
export const ENDLESS_LEASE = 0xffff_ffff;

/** Node's timers count no further in one go. */
const LONGEST_TIMER_MS = 0x7fff_ffff;

/** Where the fields that name a registration end in the wire form: service id, GID and P_Key. */
const RID_SIZE = 26;
const LEASE_AT = 28;

interface Registration {
  readonly record: Buffer;
  cancelExpiry: () => void;
}

/** The services that ports have registered, each for as long as its lease. Records are kept in wire form (176 bytes). */
export class ServiceRegistry {
  /** Oldest first. */
  readonly #byRid = new Map<string, Registration>();

  /** @param limit most registrations at a time */
  constructor(
    private readonly clock: SimClock,
    private readonly limit = 65_536,
  ) {}

  /** All records, newest registration first, as OpenSM lists them. */
  all(): readonly Buffer[] {
    return [...this.#byRid.values()].map(({ record }) => record).reverse();
  }

  /**
   * Enters a record or renews the one with the same service id, GID and P_Key; false if there is no room. A lease of 0 ends
   * after a second, the shortest time OpenSM looks at.
   */
  register(record: Buffer): boolean {
    const rid = ridOf(record);
    const known = this.#byRid.get(rid);
    if (known === undefined && this.#byRid.size >= this.limit) return false;
    known?.cancelExpiry();
    const registration: Registration = { record: Buffer.from(record), cancelExpiry: () => undefined };
    this.#byRid.set(rid, registration);
    const lease = record.readUInt32BE(LEASE_AT);
    if (lease !== ENDLESS_LEASE) this.#expireAfter(rid, registration, Math.max(1, lease) * 1000);
    return true;
  }

  /** Ends a registration; returns its record. */
  unregister(record: Buffer): Buffer | undefined {
    const rid = ridOf(record);
    const known = this.#byRid.get(rid);
    known?.cancelExpiry();
    this.#byRid.delete(rid);
    return known?.record;
  }

  /** Ends all registrations. */
  clear(): void {
    for (const { cancelExpiry } of this.#byRid.values()) cancelExpiry();
    this.#byRid.clear();
  }

  #expireAfter(rid: string, registration: Registration, leftMs: number): void {
    const stepMs = Math.min(leftMs, LONGEST_TIMER_MS);
    registration.cancelExpiry = this.clock.schedule(stepMs, () => {
      if (leftMs > stepMs) this.#expireAfter(rid, registration, leftMs - stepMs);
      else this.#byRid.delete(rid);
    });
  }
}

function ridOf(record: Buffer): string {
  return record.toString("latin1", 0, RID_SIZE);
}
