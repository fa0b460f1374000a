import { Gid } from "@verbena/ib";
import type { AddressAttributes, Context } from "../src/index.js";

/** IPv6 form of an IPv4 address (RFC 4291, 2.5.5.2). */
const isIpv4 = (gid: Gid): boolean => gid >> 32n === 0xffffn;

/** The GID of port 1 by which other devices of this machine reach it, and its index: on Ethernet that of its IPv4 address. */
export function routedGid(context: Context): { readonly index: number; readonly gid: Gid } | undefined {
  for (let index = 0; index < context.queryPort(1).gidTableLength; index++) {
    const gid = context.queryGid(1, index);
    if (isIpv4(gid)) return { index, gid };
  }
  return undefined;
}

/** The way from port 1 to itself: by LID, or with a GRH on Ethernet, which has none. */
export function portAddress(context: Context): AddressAttributes {
  const { lid, linkLayer } = context.queryPort(1);
  if (linkLayer !== "ethernet") return { port: 1, dlid: lid };
  return { port: 1, grh: { dgid: context.gids(1)[0] ?? Gid.zero, sgidIndex: 0 } };
}
