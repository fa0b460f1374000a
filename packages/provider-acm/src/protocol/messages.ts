import type { Destination, LocalAddress } from "@verbena/core/sdk";
import { ACM_ADDRESS_SIZE, encodeAcmMad, type Gid, MadMethod } from "@verbena/ib";
import { encodeAddress } from "../wire/acm-address.js";

/**
 * A request, 256 bytes: who knows `destination`? `groups` are those of the sender, least preferred first, at most 6.
 */
export function requestMad(
  tid: bigint,
  destination: Destination | LocalAddress,
  source: Destination | LocalAddress,
  groups: readonly Gid[],
): Buffer {
  const dest = encodeAddress(destination);
  const src = encodeAddress(source);
  return encodeAcmMad({
    method: MadMethod.GET,
    tid,
    destType: dest.type,
    destLength: ACM_ADDRESS_SIZE,
    srcType: src.type,
    srcLength: ACM_ADDRESS_SIZE,
    destAddress: dest.info,
    srcAddress: src.info,
    gids: groups,
  });
}

/** A response, 256 bytes: the request's TID and the group to use; everything else is in the packet around it. */
export function responseMad(tid: bigint, group: Gid): Buffer {
  return encodeAcmMad({ method: MadMethod.GET_RESP, tid, gids: [group] });
}
