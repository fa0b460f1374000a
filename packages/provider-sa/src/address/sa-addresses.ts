import type { AddressAnswer, AddressProvider, Clock, Destination, Port, SaNotice, SaService } from "@verbena/core/sdk";
import { Gid } from "@verbena/ib";
import { NodeTable } from "./node-table.js";

/**
 * Names without multicast: one NodeRecord table per port, kept for `nodeTableTtlMs`. GIDs and LIDs are their own answer; IP
 * addresses are not known to the SA.
 */
export class SaAddresses implements AddressProvider {
  readonly #gidPrefix: bigint;
  readonly #nodes: NodeTable;

  constructor(port: Port, sa: SaService, clock: Clock, ttlMs: number) {
    this.#gidPrefix = Gid.prefix(port.gids[0] ?? Gid.zero);
    this.#nodes = new NodeTable(sa, clock, ttlMs);
  }

  async resolveAddress(to: Destination): Promise<AddressAnswer | undefined> {
    switch (to.kind) {
      case "gid":
        return { gid: to.gid };
      case "lid":
        return { lid: to.lid };
      case "ip":
        return undefined;
      case "name":
        return this.#byName(to.name);
      default:
        return to satisfies never;
    }
  }

  /** The fabric has changed: the next name is looked for in a fresh table. */
  forget(): void {
    this.#nodes.forget();
  }

  onNotice(notice: SaNotice): void {
    this.#nodes.onNotice(notice);
  }

  async #byName(name: string): Promise<AddressAnswer | undefined> {
    const found = await this.#nodes.find(name);
    // The GID alone: a LID may change while the answer is remembered, and a path is asked for by either.
    return found && { gid: Gid.of(this.#gidPrefix, found.portGuid) };
  }
}
