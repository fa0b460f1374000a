import type { FabricNode } from "../fabric/node.js";
import type { FabricPort } from "../fabric/port.js";
import type { Discovery } from "./discover.js";

/** The subnet as the manager's last sweep found it; what the SA answers from. */
export class Subnet {
  readonly nodes: readonly FabricNode[];
  readonly switches: readonly FabricNode[];
  /** Ports with a LID, in table order. */
  readonly endPorts: readonly FabricPort[];
  readonly #byGuid: ReadonlyMap<bigint, FabricPort>;
  readonly #byLid = new Map<number, FabricPort>();

  constructor(discovery: Discovery) {
    this.nodes = discovery.nodes;
    this.switches = discovery.switches;
    this.endPorts = discovery.endPorts;
    this.#byGuid = new Map(discovery.endPorts.map((port) => [port.guid, port]));
    for (const port of discovery.endPorts) {
      for (let lid: number = port.lid; port.lid !== 0 && lid < port.lid + (1 << port.lmc); lid++)
        this.#byLid.set(lid, port);
    }
  }

  /** Highest LID of any port, path bits included. */
  get highestLid(): number {
    return this.endPorts.reduce((highest, port) => Math.max(highest, port.lid + (1 << port.lmc) - 1), 0);
  }

  /** By port GUID, which is also the interface id of the port's GID 0, or by an alias. */
  portByGuid(guid: bigint): FabricPort | undefined {
    return this.#byGuid.get(guid) ?? this.endPorts.find((port) => port.aliasGuids.length > 0 && port.hasGuid(guid));
  }

  /** The port that answers to a LID, path bits included. */
  portByLid(lid: number): FabricPort | undefined {
    return this.#byLid.get(lid);
  }
}
