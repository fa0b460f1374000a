import type { IpAddress } from "@verbena/ib";
import { PKey } from "@verbena/ib";
import { simError } from "../errors.js";
import { Listeners } from "../fabric/events.js";
import type { FabricPort } from "../fabric/port.js";

/** An IP address on a simulated port, as IPoIB would carry it. */
export interface SimAddress {
  readonly port: FabricPort;
  readonly address: IpAddress;
  readonly prefixLength: number;
  readonly pkey: PKey;
}

/** An address came or went. */
export interface AddressChange {
  readonly event: "add" | "del";
  readonly address: SimAddress;
}

/** Which IP addresses sit on which ports. An address sits on one port at a time. */
export class AddressTable {
  readonly changes = new Listeners<AddressChange>();
  readonly #addresses = new Map<IpAddress, SimAddress>();

  /** All addresses, in the order in which they came. */
  all(): readonly SimAddress[] {
    return [...this.#addresses.values()];
  }

  get(address: IpAddress): SimAddress | undefined {
    return this.#addresses.get(address);
  }

  /** @param place where it was read, for error messages. @throws VerbenaError `VERBENA_SIM_ADDRESS_…` */
  add(entry: SimAddress, place = "address"): void {
    const there = this.#addresses.get(entry.address);
    if (there !== undefined) {
      throw simError("VERBENA_SIM_ADDRESS_DUPLICATE", {
        details: { place, problem: `${entry.address} is already on ${there.port.name}` },
      });
    }
    if (!entry.port.pkeys.some((pkey) => PKey.samePartition(pkey, entry.pkey))) {
      throw simError("VERBENA_SIM_ADDRESS_SYNTAX", {
        details: { place, problem: `${entry.port.name} is not in partition ${PKey.format(entry.pkey)}` },
        hint: "Give a P_Key of the port's table, or add it with a pkeys= line in the topology.",
      });
    }
    this.#addresses.set(entry.address, entry);
    this.changes.emit({ event: "add", address: entry });
  }

  /** Takes an address away. @throws VerbenaError `VERBENA_SIM_ADDRESS_UNKNOWN` */
  remove(address: IpAddress): SimAddress {
    const entry = this.#addresses.get(address);
    if (entry === undefined) throw simError("VERBENA_SIM_ADDRESS_UNKNOWN", { details: { address } });
    this.#addresses.delete(address);
    this.changes.emit({ event: "del", address: entry });
    return entry;
  }

  /** Takes an address away and puts it on another port; what is not given stays as it was. */
  move(
    address: IpAddress,
    to: { readonly port: FabricPort; readonly pkey?: PKey; readonly prefixLength?: number },
  ): SimAddress {
    const before = this.remove(address);
    const { pkey = before.pkey, prefixLength = before.prefixLength } = to;
    const after: SimAddress = { port: to.port, address, prefixLength, pkey };
    try {
      this.add(after);
    } catch (error) {
      this.add(before);
      throw error;
    }
    return after;
  }
}
