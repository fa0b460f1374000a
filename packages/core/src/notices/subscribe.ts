import { encodeInformInfo, Gid, Lid, SaAttribute, TrapNumber } from "@verbena/ib";
import type { SaQuery, SaService } from "../sdk/services.js";

/**
 * What is subscribed to. Not 66 and 67: a fabric has as many groups as hosts (IPv6), and each notice goes to each subscriber.
 */
export const SUBSCRIBED_TRAPS: readonly number[] = [
  TrapNumber.GID_IN_SERVICE,
  TrapNumber.GID_OUT_OF_SERVICE,
  TrapNumber.LOCAL_CHANGES,
];

/** Values that mean "all" in InformInfo (IBA 13.4.8.3). */
const ALL_LIDS = Lid.from(0xffff);
const ALL_TYPES = 0xffff;
const ALL_PRODUCERS = 0xff_ffff;
/** RespTimeValue: a report is acknowledged within 4.096 µs × 2^19, two seconds. */
const RESPONSE_TIME = 19;

/** One InformInfo Set per trap number: subscribes a port to its notices, or ends that. */
export function subscriptionQueries(subscribe: boolean): readonly SaQuery[] {
  return SUBSCRIBED_TRAPS.map((trapNumber) => ({
    method: "set",
    attributeId: SaAttribute.INFORM_INFO,
    componentMask: 0n,
    record: encodeInformInfo({
      gid: Gid.zero,
      lidRangeBegin: ALL_LIDS,
      lidRangeEnd: Lid.zero,
      isGeneric: true,
      subscribe,
      type: ALL_TYPES,
      trapNumber,
      qpn: 1,
      respTimeValue: RESPONSE_TIME,
      producerType: ALL_PRODUCERS,
    }),
  }));
}

/** Subscribes a port to notices. Resolves with the first status that is not 0, or 0. */
export async function subscribe(sa: SaService, signal: AbortSignal): Promise<number> {
  const answers = await Promise.all(subscriptionQueries(true).map((query) => sa.query({ ...query, signal })));
  return answers.find(({ status }) => status !== 0)?.status ?? 0;
}
