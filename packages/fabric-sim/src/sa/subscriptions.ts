import { Gid, type InformInfo, Lid, type Notice, type PKey } from "@verbena/ib";

/** Where reports go: the source of the request that subscribed. */
export interface ReportAddress {
  readonly lid: Lid;
  readonly qpn: number;
  readonly pkey: PKey;
  readonly sl: number;
}

/** One port's wish to hear of notices. */
export interface Subscription {
  readonly subscriberGid: Gid;
  readonly address: ReportAddress;
  /** Its QPN is the one the request came from. */
  readonly info: InformInfo;
}

/** Value of a field that means "all". */
const ALL_16 = 0xffff;
const ALL_24 = 0xff_ffff;

/** Who wants to hear of which notices (IBA 13.4.11). */
export class Subscriptions {
  /** Oldest first. */
  #all: readonly Subscription[] = [];

  /** @param limit most subscriptions at a time */
  constructor(private readonly limit = 65_536) {}

  /** All subscriptions, newest first, as OpenSM lists them. */
  all(): readonly Subscription[] {
    return this.#all.toReversed();
  }

  /** Enters a subscription, or replaces the same one; false if there is no room. */
  add(subscription: Subscription): boolean {
    const index = this.#all.findIndex((one) => isSame(one, subscription));
    if (index >= 0) {
      this.#all = this.#all.with(index, subscription);
      return true;
    }
    if (this.#all.length >= this.limit) return false;
    this.#all = [...this.#all, subscription];
    return true;
  }

  /** Ends the subscription that is the same but for its `subscribe` bit; false if there is none. */
  remove(subscription: Subscription): boolean {
    const rest = this.#all.filter((one) => !isSame(one, subscription));
    const isFound = rest.length < this.#all.length;
    this.#all = rest;
    return isFound;
  }

  clear(): void {
    this.#all = [];
  }
}

/** The same subscriber asks for the same; a GID makes the LID range meaningless. */
function isSame(a: Subscription, b: Subscription): boolean {
  const isSameSource =
    b.info.gid === Gid.zero
      ? a.info.gid === Gid.zero &&
        a.info.lidRangeBegin === b.info.lidRangeBegin &&
        a.info.lidRangeEnd === b.info.lidRangeEnd
      : a.info.gid === b.info.gid;
  return (
    isSameSource &&
    a.address.lid === b.address.lid &&
    a.address.qpn === b.address.qpn &&
    a.info.type === b.info.type &&
    a.info.isGeneric === b.info.isGeneric &&
    a.info.trapNumber === b.info.trapNumber &&
    a.info.qpn === b.info.qpn &&
    a.info.respTimeValue === b.info.respTimeValue &&
    a.info.producerType === b.info.producerType
  );
}

/** True if the subscription asks for such a notice: by issuer's GID, or else its LID, and by kind. */
export function wantsNotice({ info }: Subscription, notice: Notice): boolean {
  if (info.gid !== Gid.zero) {
    if (info.gid !== notice.issuerGid) return false;
  } else if (info.lidRangeBegin !== ALL_16) {
    if (notice.issuerLid < info.lidRangeBegin || notice.issuerLid > lastLid(info)) return false;
  }
  return (
    info.isGeneric === notice.isGeneric &&
    (info.type === ALL_16 || info.type === notice.type) &&
    (info.trapNumber === ALL_16 || info.trapNumber === notice.trapNumber) &&
    (info.producerType === ALL_24 || info.producerType === notice.producerType)
  );
}

/** A range that ends with 0 is a single LID. */
export function lastLid({ lidRangeBegin, lidRangeEnd }: InformInfo): Lid {
  return lidRangeEnd === Lid.zero ? lidRangeBegin : lidRangeEnd;
}
