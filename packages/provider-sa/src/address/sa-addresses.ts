import type { AddressAnswer, AddressProvider, Clock, Destination, Port, SaService } from "@verbena/core/sdk";
import { decodeNodeRecord, Gid, NODE_RECORD_SIZE, SaAttribute } from "@verbena/ib";
import { recordsOf } from "../sa-status.js";
import { TimedValue } from "../timed-value.js";
import { NodeNames } from "./node-names.js";

/** A name that is not in a table of at least this age is looked for in a fresh one: the host may have booted since. */
const FRESH_ENOUGH_MS = 1_000;

/**
 * Names without multicast: one NodeRecord table per port, kept for `nodeTableTtlMs`. GIDs and LIDs are their own answer; IP
 * addresses are not known to the SA.
 */
export class SaAddresses implements AddressProvider {
  readonly #gidPrefix: bigint;
  readonly #names: TimedValue<NodeNames>;

  constructor(port: Port, sa: SaService, clock: Clock, ttlMs: number) {
    this.#gidPrefix = Gid.prefix(port.gids[0] ?? Gid.zero);
    this.#names = new TimedValue(() => fetchNames(sa), ttlMs, clock);
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
    this.#names.drop();
  }

  async #byName(name: string): Promise<AddressAnswer | undefined> {
    let found = (await this.#names.get()).find(name);
    if (found === undefined && this.#names.isOlderThan(FRESH_ENOUGH_MS)) {
      this.#names.drop();
      found = (await this.#names.get()).find(name);
    }
    // The GID alone: a LID may change while the answer is remembered, and a path is asked for by either.
    return found && { gid: Gid.of(this.#gidPrefix, found.portGuid) };
  }
}

async function fetchNames(sa: SaService): Promise<NodeNames> {
  const response = await sa.query({
    method: "getTable",
    attributeId: SaAttribute.NODE_RECORD,
    componentMask: 0n,
    record: Buffer.alloc(NODE_RECORD_SIZE),
  });
  return new NodeNames(recordsOf(response, "the NodeRecord table").map((record) => decodeNodeRecord(record)));
}
