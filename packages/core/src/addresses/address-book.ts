import type { PKey } from "@verbena/ib";
import type { HostAddress } from "@verbena/native";
import type { LocalAddress, Port } from "../sdk/endpoint.js";
import {
  type AddressFileEntry,
  fileAddress,
  isForEndpoint,
  isOnEndpoint,
  localAddressKey,
  systemAddress,
} from "./local-addresses.js";

/** An IP of the system and the text it is shown by. */
interface SystemEntry {
  readonly host: HostAddress;
  readonly local: LocalAddress;
}

/** What a change of the system's addresses means: for each IP that came or went, where it sits. */
export interface AddressBookChange {
  readonly type: "added" | "removed";
  readonly host: HostAddress;
  readonly local: LocalAddress;
}

/**
 * Which names and IPs belong to this host, and to which endpoint: the address file, and the IPs found on the interfaces. IPs of the
 * file count only when asked for.
 */
export class AddressBook {
  #file: readonly AddressFileEntry[] = [];
  readonly #system = new Map<string, SystemEntry>();
  #isSynced = false;

  constructor(
    file: readonly AddressFileEntry[],
    private readonly supportIps: boolean,
  ) {
    this.setFile(file);
  }

  setFile(file: readonly AddressFileEntry[]): void {
    this.#file = file.filter((entry) => entry.kind === "name" || this.supportIps);
  }

  /** The first listing is complete: IPs that come from now on are shown without prefix length. */
  markSynced(): void {
    this.#isSynced = true;
  }

  /** `undefined` when it is there already or cannot be read. */
  addSystem(host: HostAddress): AddressBookChange | undefined {
    const key = systemKey(host);
    const local = systemAddress(host, !this.#isSynced);
    if (local === undefined || this.#system.has(key)) return undefined;
    this.#system.set(key, { host, local });
    return { type: "added", host, local };
  }

  removeSystem(host: HostAddress): AddressBookChange | undefined {
    const key = systemKey(host);
    const entry = this.#system.get(key);
    if (entry === undefined) return undefined;
    this.#system.delete(key);
    return { type: "removed", host: entry.host, local: entry.local };
  }

  /** Makes the system's addresses exactly these; returns what that changed. */
  replaceSystem(hosts: readonly HostAddress[]): readonly AddressBookChange[] {
    const kept = new Set(hosts.map(systemKey));
    const gone = [...this.#system.values()].filter(({ host }) => !kept.has(systemKey(host)));
    return [
      ...gone.flatMap(({ host }) => this.removeSystem(host) ?? []),
      ...hosts.flatMap((host) => this.addSystem(host) ?? []),
    ];
  }

  /** The system's IPs, for the choice of a source. */
  systemAddresses(): readonly HostAddress[] {
    return [...this.#system.values()].map(({ host }) => host);
  }

  /** Everything that belongs to one partition of one port, in slot order: the system's IPs, then the file. Duplicates are skipped. */
  addressesOf(port: Port, pkey: PKey): readonly LocalAddress[] {
    const found = new Map<string, LocalAddress>();
    const add = (address: LocalAddress | undefined): void => {
      if (address === undefined) return;
      const key = localAddressKey(address);
      if (!found.has(key)) found.set(key, address);
    };
    for (const { host, local } of this.#system.values()) if (isOnEndpoint(host, port, pkey)) add(local);
    for (const entry of this.#file) if (isForEndpoint(entry, port, pkey)) add(fileAddress(entry));
    return [...found.values()];
  }
}

/** An address may sit on several interfaces; each is an entry of its own. */
function systemKey(host: HostAddress): string {
  return `${host.address}|${host.gid.toString(16)}|${host.pkey & 0x7fff}`;
}
