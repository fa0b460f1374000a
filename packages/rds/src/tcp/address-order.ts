import { IpAddress } from "@verbena/ib";

/** The address as 128 bits; an IPv4 address is ::ffff:a.b.c.d. */
function wide(address: IpAddress): Buffer {
  const bytes = IpAddress.bytes(address);
  if (bytes.length === 16) return bytes;
  return Buffer.concat([Buffer.from("00000000000000000000ffff", "hex"), bytes]);
}

/**
 * Negative if the first address is the numerically smaller one, 0 for equal ones. Of two peers the smaller owns the TCP connection: it
 * connects, the larger accepts.
 */
export function compareAddresses(first: IpAddress, second: IpAddress): number {
  return Buffer.compare(wide(first), wide(second));
}
