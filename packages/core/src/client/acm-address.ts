import { type AcmAddress, type AcmAddressRecord, acmAddressRecord, type Gid, IpAddress, type Lid } from "@verbena/ib";
import { isScopedAddress, SCOPE_REFUSED } from "../addresses/scoped-address.js";
import { coreError } from "../errors.js";

/** What a request names. Plain text is an IP address if it reads as one, else a name. */
export type AcmAddressInput =
  | string
  | { readonly name: string }
  | { readonly ip: IpAddress }
  | { readonly gid: Gid }
  | { readonly lid: Lid };

/**
 * Address record for `input`. Throws VERBENA_IB_VALUE for a name of more than 64 bytes, VERBENA_RESOLVE_DESTINATION_SYNTAX for an address with a
 * scope id.
 */
export function addressRecord(flags: number, input: AcmAddressInput): AcmAddressRecord {
  return acmAddressRecord(flags, toAcmAddress(input));
}

function toAcmAddress(input: AcmAddressInput): AcmAddress {
  if (typeof input === "string") {
    if (isScopedAddress(input)) {
      throw coreError("VERBENA_RESOLVE_DESTINATION_SYNTAX", { details: { text: input, what: SCOPE_REFUSED } });
    }
    const ip = IpAddress.tryParse(input);
    return ip === undefined ? { type: "name", name: input } : toAcmAddress({ ip });
  }
  if ("name" in input) return { type: "name", name: input.name };
  if ("gid" in input) return { type: "gid", gid: input.gid };
  if ("lid" in input) return { type: "lid", lid: input.lid };
  return { type: IpAddress.family(input.ip) === 4 ? "ip4" : "ip6", address: IpAddress.bytes(input.ip) };
}
