import type { TransportAddress } from "@verbena/core/sdk";
import { IpAddress } from "@verbena/ib";

const MAPPED = Buffer.from("00000000000000000000ffff", "hex");

/** The IPv4 address of an IPv4-mapped IPv6 address, which is the same address; any other as it is. */
export function unmapped(address: IpAddress): IpAddress {
  if (IpAddress.family(address) === 4) return address;
  const bytes = IpAddress.bytes(address);
  return bytes.subarray(0, 12).equals(MAPPED) ? IpAddress.fromBytes(bytes.subarray(12)) : address;
}

/** What an address is that cannot be an end: nobody's, everybody's or a group's. */
export function specialKind(address: IpAddress): "any" | "broadcast" | "multicast" | undefined {
  const bytes = IpAddress.bytes(address);
  const [first = 0] = bytes;
  if (bytes.every((byte) => byte === 0)) return "any";
  if (bytes.length === 16) return first === 0xff ? "multicast" : undefined;
  if (bytes.every((byte) => byte === 0xff)) return "broadcast";
  return first >= 224 && first < 240 ? "multicast" : undefined;
}

/** 127/8 or ::1. */
export function isLoopback(address: IpAddress): boolean {
  return address.startsWith("127.") || address === "::1";
}

/** An IPv6 address that means nothing without its interface. */
export function needsScope(address: IpAddress): boolean {
  return IpAddress.family(address) === 6 && IpAddress.isLinkLocal(address);
}

/** Equal for equal addresses. */
export function addressKey({ address, scopeId }: TransportAddress): string {
  return scopeId === 0 ? address : `${address}%${scopeId}`;
}
