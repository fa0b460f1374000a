import { nativeError } from "../errors.js";
import { readHost16, readHost32, writeHost16, writeHost32 } from "../host-order.js";

/** Numbers of `linux/netlink.h`, `linux/rtnetlink.h` and `linux/if_link.h` that this package uses. */
export const NETLINK = {
  /** Protocol NETLINK_ROUTE. */
  ROUTE: 0,
  /** Protocol NETLINK_RDMA. */
  RDMA: 20,
  NLMSG_ERROR: 2,
  NLMSG_DONE: 3,
  RTM_NEWLINK: 16,
  RTM_DELLINK: 17,
  RTM_GETLINK: 18,
  RTM_NEWADDR: 20,
  RTM_DELADDR: 21,
  RTM_GETADDR: 22,
  NLM_F_REQUEST: 0x1,
  /** The dump was disturbed by a change: it may be inconsistent. */
  NLM_F_DUMP_INTR: 0x10,
  NLM_F_DUMP: 0x300,
  /** Masks of multicast groups: RTMGRP_LINK, RTMGRP_IPV4_IFADDR, RTMGRP_IPV6_IFADDR. */
  GROUP_LINK: 0x1,
  GROUP_IPV4_ADDRESS: 0x10,
  GROUP_IPV6_ADDRESS: 0x100,
} as const;

const HEADER = 16;
const align4 = (n: number): number => (n + 3) & ~3;

/** One message of a netlink datagram. */
export interface NetlinkMessage {
  readonly type: number;
  readonly flags: number;
  readonly sequence: number;
  /** View into the datagram. */
  readonly payload: Buffer;
}

function malformed(reason: string): Error {
  return nativeError("VERBENA_NATIVE_NETLINK_MESSAGE", { details: { reason } });
}

/** Splits a datagram into its messages. Throws `VERBENA_NATIVE_NETLINK_MESSAGE` if the lengths do not add up. */
export function parseMessages(datagram: Buffer): readonly NetlinkMessage[] {
  const messages: NetlinkMessage[] = [];
  for (let at = 0; at < datagram.length; ) {
    if (datagram.length - at < HEADER) throw malformed(`${datagram.length - at} bytes where a header of 16 must be`);
    const length = readHost32(datagram, at);
    if (length < HEADER || length > datagram.length - at) {
      throw malformed(`length ${length} at offset ${at} of ${datagram.length} bytes`);
    }
    messages.push({
      type: readHost16(datagram, at + 4),
      flags: readHost16(datagram, at + 6),
      sequence: readHost32(datagram, at + 8),
      payload: datagram.subarray(at + HEADER, at + length),
    });
    at += align4(length);
  }
  return messages;
}

/** Attributes that follow a fixed part, by type (flag bits stripped); of equal types the last one counts, as in the kernel. */
export function parseAttributes(payload: Buffer, offset: number): ReadonlyMap<number, Buffer> {
  const attributes = new Map<number, Buffer>();
  for (let at = offset; at < payload.length; ) {
    if (payload.length - at < 4)
      throw malformed(`${payload.length - at} bytes where an attribute of 4 or more must be`);
    const length = readHost16(payload, at);
    if (length < 4 || length > payload.length - at) throw malformed(`attribute length ${length} at offset ${at}`);
    attributes.set(readHost16(payload, at + 2) & 0x3fff, payload.subarray(at + 4, at + length));
    at += align4(length);
  }
  return attributes;
}

/** Errno (positive) of an NLMSG_ERROR or NLMSG_DONE message; 0 is an acknowledgement. */
export function messageErrno(message: NetlinkMessage): number {
  return message.payload.length < 4 ? 0 : 0 - (readHost32(message.payload, 0) | 0);
}

/** Request for a dump of all links (RTM_GETLINK) or all addresses (RTM_GETADDR) of every family. */
export function encodeDumpRequest(type: number, sequence: number): Buffer {
  // struct ifinfomsg for links, struct ifaddrmsg for addresses; zero is AF_UNSPEC in both.
  const out = Buffer.alloc(HEADER + (type === NETLINK.RTM_GETLINK ? 16 : 8));
  writeHost32(out, 0, out.length);
  writeHost16(out, 4, type);
  writeHost16(out, 6, NETLINK.NLM_F_REQUEST | NETLINK.NLM_F_DUMP);
  writeHost32(out, 8, sequence);
  return out;
}
