import { malformed } from "../wire/check.js";
import { readU32Host } from "../wire/host-order.js";
import { NETLINK_HEADER_SIZE, NetlinkLs } from "./constants.js";
import { decodeNetlinkHeader, type NetlinkHeader } from "./header.js";

/** What the kernel says about a message it was sent. */
export interface NetlinkError {
  /** Positive; 0 = acknowledged. */
  readonly errno: number;
  /** Header of the message it is about. */
  readonly about: NetlinkHeader;
}

/** Decodes an error message: header, negative errno (32 bits, host order), header of the refused message. Throws `VERBENA_IB_MALFORMED`. */
export function decodeNetlinkError(buf: Buffer): NetlinkError {
  const { type } = decodeNetlinkHeader(buf);
  if (type !== NetlinkLs.ERROR) throw malformed("NetlinkError", `type ${NetlinkLs.ERROR}`, `type ${type}`);
  const about = decodeNetlinkHeader(buf, NETLINK_HEADER_SIZE + 4);
  return { errno: 0 - (readU32Host(buf, NETLINK_HEADER_SIZE) | 0), about };
}
