import { IpAddress, PKey } from "@verbena/ib";
import type { HostAddress } from "@verbena/native";
import type { LocalAddress, Port } from "../sdk/endpoint.js";

/** One line of the address file, as the configuration reader hands it on. */
export interface AddressFileEntry {
  readonly kind: "name" | "ip";
  /** As typed. */
  readonly text: string;
  /** Compared without case. */
  readonly device: string;
  /** From 1. */
  readonly port: number;
  /** `default` = entry 0 of the port's P_Key table. */
  readonly pkey: PKey | "default";
}

/** Key under which a local address is found: names without case, IPs by value. The same as a destination's key. */
export function localAddressKey(address: LocalAddress): string {
  return address.kind === "name" ? `n${address.name}` : `i${address.address}`;
}

/** Whether a line of the address file speaks of this partition of this port; membership (bit 15) does not matter. */
export function isForEndpoint(entry: AddressFileEntry, port: Port, pkey: PKey): boolean {
  if (entry.port !== port.port || entry.device.toLowerCase() !== port.device.toLowerCase()) return false;
  const wanted = entry.pkey === "default" ? port.pkeys[0] : entry.pkey;
  return wanted !== undefined && PKey.samePartition(wanted, pkey);
}

/** The local address a line makes; `undefined` for an IP that does not parse. */
export function fileAddress(entry: AddressFileEntry): LocalAddress | undefined {
  if (entry.kind === "name") {
    return { kind: "name", name: entry.text.toLowerCase(), text: entry.text, origin: "file" };
  }
  const address = IpAddress.tryParse(entry.text);
  return address === undefined ? undefined : { kind: "ip", address, text: entry.text, origin: "file" };
}

/** Whether an IP of the system sits on this partition of this port: the port owns the GID, the partitions are the same. */
export function isOnEndpoint(address: HostAddress, port: Port, pkey: PKey): boolean {
  return PKey.samePartition(address.pkey, pkey) && port.gids.includes(address.gid);
}

/** The local address of a system IP; `atStart`: its text carries the prefix length (spec 1.11). */
export function systemAddress(address: HostAddress, atStart: boolean): LocalAddress | undefined {
  const parsed = IpAddress.tryParse(address.address);
  if (parsed === undefined) return undefined;
  const text = atStart ? `${parsed}/${address.prefixLength}` : parsed;
  return { kind: "ip", address: parsed, text, origin: "system" };
}
