import { Gid } from "@verbena/ib";
import type { AddressAttributes, Context } from "../src/index.js";

/** The way from port 1 to itself: by LID, or with a GRH on Ethernet, which has none. */
export function portAddress(context: Context): AddressAttributes {
  const { lid, linkLayer } = context.queryPort(1);
  if (linkLayer !== "ethernet") return { port: 1, dlid: lid };
  return { port: 1, grh: { dgid: context.gids(1)[0] ?? Gid.zero, sgidIndex: 0 } };
}
