import type { DatagramAddress } from "@verbena/core/sdk";
import { IpAddress } from "@verbena/ib";
import { needsScope, specialKind, unmapped } from "../engine/ip.js";
import { errnoError } from "../errors.js";

/** An end as a program names it: an object, or text as {@link RdsAddress.parse} takes it. */
export type RdsAddressInput = string | { readonly address: string; readonly port: number; readonly scopeId?: number };

/** An end of a datagram, in canonical form. */
export type RdsAddress = DatagramAddress;

/** Operations on {@link RdsAddress}. */
export const RdsAddress = {
  /**
   * Reads `ADDRESS:PORT`, for IPv6 `[ADDRESS]:PORT` or `[ADDRESS%INDEX]:PORT` with the index of the interface, or an object of the same. An
   * IPv4-mapped address becomes the IPv4 address it is. Throws `VERBENA_RDS_EINVAL`.
   */
  parse(input: RdsAddressInput): RdsAddress {
    const { address, port, scopeId } = typeof input === "string" ? splitText(input) : input;
    const parsed = IpAddress.tryParse(address);
    if (parsed === undefined) throw invalid(`${JSON.stringify(address)} is no IP address`);
    if (!Number.isInteger(port) || port < 0 || port > 0xffff) throw invalid(`${String(port)} is no port`);
    if (scopeId !== undefined && (!Number.isInteger(scopeId) || scopeId < 0)) {
      throw invalid(`${String(scopeId)} is no index of an interface`);
    }
    return { address: unmapped(parsed), port, scopeId: scopeId ?? 0 };
  },
  /** The text that {@link RdsAddress.parse} reads. */
  format({ address, port, scopeId }: RdsAddress): string {
    if (IpAddress.family(address) === 4) return `${address}:${String(port)}`;
    return `[${address}${scopeId === 0 ? "" : `%${String(scopeId)}`}]:${String(port)}`;
  },
} as const;

const TEXT = /^(?:\[(?<v6>[^\]%]+)(?:%(?<scope>\d+))?\]|(?<v4>[^:]+)):(?<port>\d{1,5})$/;

function splitText(text: string): { readonly address: string; readonly port: number; readonly scopeId?: number } {
  const groups = TEXT.exec(text)?.groups;
  if (groups === undefined) throw invalid(`${JSON.stringify(text)} is not written ADDRESS:PORT or [ADDRESS]:PORT`);
  const { v4, v6, scope, port } = groups;
  return {
    address: v4 ?? v6 ?? "",
    port: Number(port),
    ...(scope === undefined ? {} : { scopeId: Number(scope) }),
  };
}

/** An end that a socket may be bound to. Throws `VERBENA_RDS_EINVAL`. */
export function bindableEnd(input: RdsAddressInput): RdsAddress {
  const end = RdsAddress.parse(input);
  const kind = specialKind(end.address);
  if (kind !== undefined) throw invalid(`a socket has one address of its own; ${end.address} is ${describe(kind)}`);
  return scoped(end);
}

/** A default destination. Throws `VERBENA_RDS_EDESTADDRREQ`, `VERBENA_RDS_EINVAL` or `VERBENA_RDS_EPROTOTYPE`, as Linux has it. */
export function connectableEnd(input: RdsAddressInput): RdsAddress {
  const end = RdsAddress.parse(input);
  const kind = specialKind(end.address);
  if (kind === undefined) return scoped(end);
  const reason = `datagrams go to one host each; ${end.address} is ${describe(kind)}`;
  if (IpAddress.family(end.address) === 6) throw errnoError("EPROTOTYPE", { reason });
  throw kind === "any" ? errnoError("EDESTADDRREQ", { address: end.address }) : invalid(reason);
}

/** A destination named with a message. Throws `VERBENA_RDS_EINVAL`. */
export function destinationEnd(input: RdsAddressInput): RdsAddress {
  const end = RdsAddress.parse(input);
  const kind = specialKind(end.address);
  if (kind !== undefined) throw invalid(`datagrams go to one host each; ${end.address} is ${describe(kind)}`);
  return scoped(end);
}

/** Scope ids mean something on link-local addresses, and there they are needed. */
function scoped(end: RdsAddress): RdsAddress {
  if (!needsScope(end.address)) return { ...end, scopeId: 0 };
  if (end.scopeId === 0) throw invalid(`${end.address} is link-local: name its interface (scopeId)`);
  return end;
}

const describe = (kind: "any" | "broadcast" | "multicast"): string =>
  ({ any: "nobody's", broadcast: "everybody's", multicast: "a group's" })[kind];

/** Makes the error of a value that a call does not take. */
export const invalid = (reason: string): Error => errnoError("EINVAL", { reason });
