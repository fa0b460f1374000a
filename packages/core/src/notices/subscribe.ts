import { encodeInformInfo, Gid, Lid, SaAttribute, TrapNumber } from "@verbena/ib";
import type { SaService } from "../sdk/services.js";

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

/** Subscribes a port to notices, or ends that: one InformInfo Set per trap number. Resolves with the first status that is not 0, or 0. */
export async function setSubscriptions(sa: SaService, subscribe: boolean, signal?: AbortSignal): Promise<number> {
  const answers = await Promise.all(
    SUBSCRIBED_TRAPS.map((trapNumber) =>
      sa.query({
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
        ...(signal === undefined ? {} : { signal }),
      }),
    ),
  );
  return answers.find(({ status }) => status !== 0)?.status ?? 0;
}
