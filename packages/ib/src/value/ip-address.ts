import { badSyntax, needBytes } from "../wire/check.js";
import type { Branded } from "./brand.js";
import { Gid } from "./gid.js";

/**
 * An IPv4 or IPv6 address in canonical text: dotted, or as `inet_ntop` prints it. A branded string, so that equal addresses are
 * equal by `===` and can be map keys. No prefix length; no scope id, because a scope means nothing on another host.
 */
export type IpAddress = Branded<string, "IpAddress">;

const DECIMAL_OCTET = /^(?:0|[1-9]\d{0,2})$/;

function parseIpv4(text: string): IpAddress | undefined {
  const parts = text.split(".");
  const isAddress = parts.length === 4 && parts.every((part) => DECIMAL_OCTET.test(part) && Number(part) <= 255);
  return isAddress ? (text as IpAddress) : undefined;
}

function tryParse(text: string): IpAddress | undefined {
  if (typeof text !== "string") return undefined;
  if (!text.includes(":")) return parseIpv4(text);
  const value = Gid.tryParse(text);
  return value === undefined ? undefined : (Gid.format(value) as IpAddress);
}

/** Operations on {@link IpAddress}. */
export const IpAddress = {
  /** Parses IPv4 (four decimal numbers without leading zeros) or IPv6 text. Throws `VERBENA_IB_SYNTAX`, also for a scope id. */
  parse(text: string): IpAddress {
    const address = tryParse(text);
    if (address !== undefined) return address;
    const scoped = typeof text === "string" && text.includes("%");
    throw badSyntax("IP address", text, scoped ? "an address without scope id (%…)" : "IPv4 or IPv6 text");
  },
  /** As {@link IpAddress.parse}, but `undefined` for text that is no address. */
  tryParse,
  /** 4 or 6. */
  family(address: IpAddress): 4 | 6 {
    return address.includes(":") ? 6 : 4;
  },
  /** 4 or 16 bytes in network order. */
  bytes(address: IpAddress): Buffer {
    if (IpAddress.family(address) === 4) return Buffer.from(address.split(".").map(Number));
    const buf = Buffer.alloc(Gid.SIZE);
    Gid.write(buf, 0, Gid.parse(address));
    return buf;
  },
  /** From 4 or 16 bytes in network order. Throws `VERBENA_IB_MALFORMED` for any other length. */
  fromBytes(bytes: Buffer): IpAddress {
    if (bytes.length === 4) return bytes.join(".") as IpAddress;
    needBytes("IP address", bytes, 0, Gid.SIZE);
    return Gid.format(Gid.read(bytes, 0)) as IpAddress;
  },
  /** 169.254.0.0/16 or fe80::/10. */
  isLinkLocal(address: IpAddress): boolean {
    return IpAddress.family(address) === 4 ? address.startsWith("169.254.") : Gid.isLinkLocal(Gid.parse(address));
  },
} as const;
