import { checkUint, needBytes } from "../wire/check.js";
import { readU16Host, readU32Host, writeU16Host, writeU32Host } from "../wire/host-order.js";
import { NETLINK_HEADER_SIZE, NetlinkLs } from "./constants.js";

/** Netlink message header, 16 bytes in host order. */
export interface NetlinkHeader {
  /** Bytes of the whole message. */
  readonly length: number;
  /** See `NetlinkLs`. */
  readonly type: number;
  readonly flags: number;
  /** Echoed in the answer; the kernel finds its request by it. */
  readonly sequence: number;
  /** Process id of the sender, 0 = kernel. */
  readonly pid: number;
}

/** Decodes 16 bytes at `offset`; judges nothing else. Throws `VERBENA_IB_MALFORMED`. */
export function decodeNetlinkHeader(buf: Buffer, offset = 0): NetlinkHeader {
  needBytes("NetlinkHeader", buf, offset, NETLINK_HEADER_SIZE);
  return {
    length: readU32Host(buf, offset),
    type: readU16Host(buf, offset + 4),
    flags: readU16Host(buf, offset + 6),
    sequence: readU32Host(buf, offset + 8),
    pid: readU32Host(buf, offset + 12),
  };
}

/** Writes a header at the start of `buf`, with the length of `buf`. Throws `VERBENA_IB_VALUE`/`_MALFORMED`. */
export function writeNetlinkHeader(buf: Buffer, header: Omit<NetlinkHeader, "length">): void {
  needBytes("NetlinkHeader", buf, 0, NETLINK_HEADER_SIZE);
  writeU32Host(buf, 0, buf.length);
  writeU16Host(buf, 4, checkUint(header.type, 0xffff, "NetlinkHeader.type"));
  writeU16Host(buf, 6, checkUint(header.flags, 0xffff, "NetlinkHeader.flags"));
  writeU32Host(buf, 8, checkUint(header.sequence, 0xffff_ffff, "NetlinkHeader.sequence"));
  writeU32Host(buf, 12, checkUint(header.pid, 0xffff_ffff, "NetlinkHeader.pid"));
}

/** Client number of a message type: the local service is `NetlinkLs.CLIENT`; others get no answer. */
export function netlinkClient(type: number): number {
  return type >>> 10;
}

/** True if the type belongs to the local service, whatever its operation. */
export function isNetlinkLs(type: number): boolean {
  return netlinkClient(type) === NetlinkLs.CLIENT;
}
