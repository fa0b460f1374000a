import { NETLINK_HEADER_SIZE } from "./constants.js";
import { decodeNetlinkHeader } from "./header.js";

/** The messages of one datagram. */
export interface NetlinkMessages {
  /** Views of the datagram, each as long as its header says. */
  readonly messages: readonly Buffer[];
  /** Bytes at the end that are no message: too short for a header, or of a length that cannot be. */
  readonly rest: number;
}

/** Splits a datagram into its messages, each padded to 4 bytes. Never throws: what cannot be read is `rest`. */
export function splitNetlinkMessages(datagram: Buffer): NetlinkMessages {
  const messages: Buffer[] = [];
  let at = 0;
  while (at + NETLINK_HEADER_SIZE <= datagram.length) {
    const { length } = decodeNetlinkHeader(datagram, at);
    if (length < NETLINK_HEADER_SIZE || length > datagram.length - at) break;
    messages.push(datagram.subarray(at, at + length));
    at += (length + 3) & ~3;
  }
  return { messages, rest: Math.max(0, datagram.length - at) };
}
