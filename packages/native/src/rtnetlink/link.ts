import { Gid, PKey } from "@verbena/ib";
import { nativeError } from "../errors.js";
import { readHost16, readHost32 } from "../host-order.js";
import { type NetlinkMessage, parseAttributes } from "./message.js";

/** Link type of IPoIB interfaces (`linux/if_arp.h`). */
export const ARPHRD_INFINIBAND = 32;

const IFLA_ADDRESS = 1;
const IFLA_BROADCAST = 2;
const IFLA_IFNAME = 3;
const IPOIB_ADDRESS_SIZE = 20;

/** A network interface, as far as addresses need it. */
export interface Link {
  readonly index: number;
  /** AF_UNSPEC for the interface itself; other families report their own settings of it. */
  readonly family: number;
  readonly name: string;
  readonly type: number;
  /** GID of the port, IPoIB only: bytes 4–19 of the link-layer address (acm.md 7.3). */
  readonly gid: Gid | undefined;
  /** P_Key in the IPoIB broadcast address (bytes 8–9, RFC 4391 4): serves where sysfs cannot be asked. */
  readonly broadcastPkey: PKey | undefined;
}

/** Decodes RTM_NEWLINK or RTM_DELLINK. Throws `VERBENA_NATIVE_NETLINK_MESSAGE`. */
export function parseLink(message: NetlinkMessage): Link {
  const { payload } = message;
  if (payload.length < 16) {
    throw nativeError("VERBENA_NATIVE_NETLINK_MESSAGE", {
      details: { reason: `link message of ${payload.length} bytes` },
    });
  }
  const attributes = parseAttributes(payload, 16);
  const type = readHost16(payload, 2);
  const isIpoib = type === ARPHRD_INFINIBAND;
  const address = attributes.get(IFLA_ADDRESS);
  const broadcast = attributes.get(IFLA_BROADCAST);
  const pkey = isIpoib && broadcast?.length === IPOIB_ADDRESS_SIZE ? PKey.from(broadcast.readUInt16BE(8)) : PKey.zero;
  return {
    index: readHost32(payload, 4),
    family: payload[0] ?? 0,
    name: (attributes.get(IFLA_IFNAME)?.toString("utf8") ?? "").replace(/\0.*$/s, ""),
    type,
    gid: isIpoib && address?.length === IPOIB_ADDRESS_SIZE ? Gid.read(address, 4) : undefined,
    broadcastPkey: PKey.isValid(pkey) ? pkey : undefined,
  };
}
