import { Gid } from "@verbena/ib";
import { nativeError } from "../errors.js";
import { readHost32 } from "../host-order.js";
import { type NetlinkMessage, parseAttributes } from "./message.js";

const AF_INET = 2;
const AF_INET6 = 10;
const IFA_ADDRESS = 1;
const IFA_LOCAL = 2;

/** An IP address on an interface. */
export interface InterfaceAddress {
  readonly linkIndex: number;
  /** Canonical text. */
  readonly address: string;
  readonly prefixLength: number;
}

/**
 * Decodes RTM_NEWADDR or RTM_DELADDR; `undefined` for families other than IPv4 and IPv6. The own address is IFA_LOCAL: with a peer,
 * IFA_ADDRESS is the peer's. IPv6 without a peer carries IFA_ADDRESS alone. Throws `VERBENA_NATIVE_NETLINK_MESSAGE`.
 */
export function parseAddress(message: NetlinkMessage): InterfaceAddress | undefined {
  const { payload } = message;
  if (payload.length < 8) throw malformed(`address message of ${payload.length} bytes`);
  const family = payload[0];
  if (family !== AF_INET && family !== AF_INET6) return undefined;
  const attributes = parseAttributes(payload, 8);
  const own = attributes.get(IFA_LOCAL) ?? attributes.get(IFA_ADDRESS);
  const size = family === AF_INET ? 4 : 16;
  if (own?.length !== size) throw malformed(`address of ${own?.length ?? 0} bytes in family ${family}`);
  return {
    linkIndex: readHost32(payload, 4),
    address: family === AF_INET ? [...own].join(".") : Gid.format(Gid.read(own)),
    prefixLength: payload[1] ?? 0,
  };
}

function malformed(reason: string): Error {
  return nativeError("VERBENA_NATIVE_NETLINK_MESSAGE", { details: { reason } });
}
