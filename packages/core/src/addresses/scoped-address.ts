import { Gid, IpAddress } from "@verbena/ib";

/** Why such an address is refused, and what to do. */
export const SCOPE_REFUSED = "a scope id (%…) means nothing on another host; write the address without it";

/** Whether a text is an address with a scope id, such as `fe80::1%ib0`. Nobody means it for a name, and it says nothing of a remote host. */
export function isScopedAddress(text: string): boolean {
  const at = text.indexOf("%");
  if (at < 1) return false;
  const address = text.slice(0, at);
  return IpAddress.tryParse(address) !== undefined || Gid.tryParse(address) !== undefined;
}
