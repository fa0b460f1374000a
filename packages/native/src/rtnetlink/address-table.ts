import type { Gid, PKey } from "@verbena/ib";
import type { AddressEvent, HostAddress } from "../api/addresses.js";
import type { InterfaceAddress } from "./address.js";
import type { Link } from "./link.js";

/** Port that an IPoIB interface stands for. */
interface IpoibPort {
  readonly name: string;
  readonly gid: Gid;
  readonly pkey: PKey;
}

/**
 * Joins links and addresses, in whatever order they come: an address counts from the moment its interface is known to be IPoIB with a GID
 * and a P_Key. Pure but for the question it asks `readPkey`.
 */
export class AddressTable {
  readonly #ports = new Map<number, IpoibPort>();
  readonly #addresses = new Map<number, Map<string, InterfaceAddress>>();

  /** `readPkey`: P_Key of an interface by name, `undefined` if it cannot be read (the interface has just gone, or is none). */
  constructor(private readonly readPkey: (interfaceName: string) => PKey | undefined) {}

  /** RTM_NEWLINK: also sent for every change of a link. */
  linkChanged(link: Link): readonly AddressEvent[] {
    const before = this.#ports.get(link.index);
    const after = this.#portOf(link);
    if (before === undefined && after === undefined) return [];
    if (before?.name === after?.name && before?.gid === after?.gid && before?.pkey === after?.pkey) return [];
    const events = before === undefined ? [] : this.#all(link.index, "removed");
    if (after === undefined) {
      this.#ports.delete(link.index);
      return events;
    }
    this.#ports.set(link.index, after);
    return [...events, ...this.#all(link.index, "added")];
  }

  /** RTM_DELLINK. */
  linkGone(index: number): readonly AddressEvent[] {
    const events = this.#all(index, "removed");
    this.#ports.delete(index);
    this.#addresses.delete(index);
    return events;
  }

  /** RTM_NEWADDR: also sent when only flags or lifetimes change. */
  addressAdded(address: InterfaceAddress): readonly AddressEvent[] {
    const known = this.#addresses.get(address.linkIndex) ?? new Map<string, InterfaceAddress>();
    this.#addresses.set(address.linkIndex, known);
    const isNew = !known.has(keyOf(address));
    known.set(keyOf(address), address);
    return isNew ? this.#event("added", address) : [];
  }

  /** RTM_DELADDR. */
  addressRemoved(address: InterfaceAddress): readonly AddressEvent[] {
    const isKnown = this.#addresses.get(address.linkIndex)?.delete(keyOf(address)) ?? false;
    return isKnown ? this.#event("removed", address) : [];
  }

  /** Forgets everything; the caller reports `reset`. */
  clear(): void {
    this.#ports.clear();
    this.#addresses.clear();
  }

  #portOf(link: Link): IpoibPort | undefined {
    if (link.gid === undefined) return undefined;
    const pkey = this.readPkey(link.name) ?? link.broadcastPkey;
    return pkey === undefined ? undefined : { name: link.name, gid: link.gid, pkey };
  }

  #all(index: number, type: "added" | "removed"): AddressEvent[] {
    return [...(this.#addresses.get(index)?.values() ?? [])].flatMap((address) => this.#event(type, address));
  }

  #event(type: "added" | "removed", address: InterfaceAddress): AddressEvent[] {
    const port = this.#ports.get(address.linkIndex);
    if (port === undefined) return [];
    const hostAddress: HostAddress = {
      address: address.address,
      prefixLength: address.prefixLength,
      interfaceName: port.name,
      gid: port.gid,
      pkey: port.pkey,
    };
    return [{ type, address: hostAddress }];
  }
}

/** The kernel keeps one address per interface, address and prefix length. */
function keyOf(address: InterfaceAddress): string {
  return `${address.address}/${address.prefixLength}`;
}
