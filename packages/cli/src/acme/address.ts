import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { ACM_ADDRESS_SIZE, type AcmAddress, Gid, IpAddress, type Lid } from "@verbena/ib";
import { atoi } from "./atoi.js";
import type { AddressFormat } from "./options.js";

/** A destination or source with the format it is read in. */
export interface TypedAddress {
  readonly text: string;
  readonly format: AddressFormat;
}

/**
 * Finds the format of an address that comes without one: an IP address stays as it is written; what the C library's name lookup
 * takes is an IP address too, shown and sent as the first address found; anything else is a LID.
 */
export async function detectFormat(text: string): Promise<TypedAddress> {
  if (ipAddress(text) !== undefined) return { text, format: "i" };
  const address = await firstAddress(text);
  return address === undefined ? { text, format: "l" } : { text: address, format: "i" };
}

async function firstAddress(text: string): Promise<string | undefined> {
  if (text === "") return undefined;
  try {
    const { address } = await lookup(text);
    const [plain = address] = address.split("%", 1); // a scope means nothing to the service
    return isIP(plain) === 6 ? IpAddress.parse(plain) : plain;
  } catch {
    return undefined;
  }
}

/** An IP address as it goes on the wire; `undefined` for text that `inet_pton` refuses. */
export function ipAddress(text: string): AcmAddress | undefined {
  const address = IpAddress.tryParse(text);
  if (address === undefined) return undefined;
  return { type: IpAddress.family(address) === 4 ? "ip4" : "ip6", address: IpAddress.bytes(address) };
}

/** A name; `undefined` if it leaves no room for the NUL that ends it. */
export function nameAddress(text: string): AcmAddress | undefined {
  return Buffer.byteLength(text) < ACM_ADDRESS_SIZE ? { type: "name", name: text } : undefined;
}

/** A GID; `undefined` for text that `inet_pton` refuses. */
export function gidOf(text: string): Gid | undefined {
  return Gid.tryParse(text);
}

/** Decimal text as `atoi` reads it, 0 for other text, cut to 16 bits. */
export function lidOf(text: string): Lid {
  return (atoi(text) & 0xffff) as Lid;
}
