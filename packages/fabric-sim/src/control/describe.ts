import { Gid, Guid, PKey, PortState } from "@verbena/ib";
import type { AddressMessage } from "../addresses/address-message.js";
import type { SimAddress } from "../addresses/address-table.js";
import type { FabricNode } from "../fabric/node.js";
import type { FabricPort } from "../fabric/port.js";
import type { Simulation } from "../process/simulation.js";
import { formatLinkRate } from "../topology/link-speed.js";
import { CONTROL_VERSION, type FabricStatus, type NodeStatus, type PortStatus } from "./protocol.js";

const STATES = { [PortState.INIT]: "init", [PortState.ARMED]: "armed", [PortState.ACTIVE]: "active" } as const;

/** A port for people and programs outside. A switch's external port shows the LID of port 0. */
export function describePort(port: FabricPort): PortStatus {
  const owner = port.node.kind === "switch" ? port.node.ports[0] : port;
  return {
    end: port.name,
    guid: Guid.format(port.guid),
    lid: owner?.lid ?? 0,
    lmc: owner?.lmc ?? 0,
    state: (STATES as Readonly<Record<number, PortStatus["state"]>>)[port.state] ?? "down",
    rate: formatLinkRate(port.link),
    ...(port.cable === undefined ? {} : { peer: port.cable.name }),
  };
}

/** A node for people and programs outside. */
export function describeNode(node: FabricNode): NodeStatus {
  return {
    id: node.id,
    kind: node.kind,
    description: node.description,
    guid: Guid.format(node.nodeGuid),
    ports: node.ports.filter((port) => port.cable !== undefined).map(describePort),
  };
}

/** Multicast LIDs that any switch forwards. */
function programmedGroups(nodes: readonly FabricNode[]): number {
  return new Set(nodes.flatMap(({ tables }) => tables?.groupLids() ?? [])).size;
}

/** The built-in manager's port, or the one whose LID a master OpenSM has given to the hosts. */
function describeManager({ management, fabric, sm }: Simulation): FabricStatus["sm"] {
  const lid = fabric.nodes.flatMap((node) => node.endPorts).find((port) => port.smLid !== 0)?.smLid;
  const port = management === "builtin" ? sm.port : lid === undefined ? undefined : fabric.portByLid(lid);
  return { end: port?.name ?? "", lid: port?.lid ?? 0, guid: Guid.format(port?.guid ?? Guid.zero) };
}

/** The whole fabric. */
export function describeFabric(simulation: Simulation, dir: string, programs: readonly object[]): FabricStatus {
  const { fabric, sm, sa } = simulation;
  const cabled = fabric.nodes.flatMap((node) => node.ports).filter((port) => port.cable !== undefined);
  return {
    protocol: CONTROL_VERSION,
    dir,
    management: simulation.management,
    sm: describeManager(simulation),
    sa: { mode: sa.behaviour.mode },
    counts: {
      hosts: fabric.nodes.filter((node) => node.kind !== "switch").length,
      switches: fabric.nodes.filter((node) => node.kind === "switch").length,
      links: cabled.length / 2,
      linksDown: cabled.filter((port) => !port.isLinkUp).length / 2,
      multicastGroups: simulation.management === "builtin" ? sm.groups.all().length : programmedGroups(fabric.nodes),
      addresses: simulation.addresses.all().length,
    },
    programs,
    nodes: fabric.nodes.map(describeNode),
  };
}

/** An address as a program on one of `hcas` sees it; the position in the list makes the device name. */
export function describeAddress(
  entry: SimAddress,
  event: AddressMessage["event"],
  hcas: readonly FabricNode[],
): AddressMessage {
  const { port, address, prefixLength, pkey } = entry;
  return {
    type: "address",
    event,
    node: port.node.id,
    device: `sim${Math.max(0, hcas.indexOf(port.node))}`,
    port: port.number,
    portGuid: Guid.format(port.guid),
    gid: Gid.format(port.gid),
    address,
    prefixLength,
    pkey: PKey.format(pkey),
  };
}
