import type { Guid, PKey } from "@verbena/ib";
import type { NodeKind, TopologyNode } from "../topology/model.js";
import { ForwardingTables } from "./forwarding-tables.js";
import { FabricPort } from "./port.js";

/** Members of SwitchInfo that a subnet manager writes and the fabric only keeps. */
export interface SwitchDefaults {
  readonly port: number;
  readonly multicastPrimary: number;
  readonly multicastNotPrimary: number;
  readonly multicastTop: number;
}

/** A node of the running fabric. */
export class FabricNode {
  readonly id: string;
  readonly kind: NodeKind;
  /** NodeDescription; whoever changes it emits `state` for the node's end ports. */
  description: string;
  readonly nodeGuid: Guid;
  readonly systemImageGuid: Guid;
  readonly vendorId: number;
  readonly deviceId: number;
  readonly portCount: number;
  readonly pkeys: readonly PKey[];
  /** A switch begins with port 0. */
  readonly ports: readonly FabricPort[];
  /** SLtoVLMappingTable by input port * 256 + output port (hosts: own port), 8 bytes each, where one was written. */
  readonly slToVl = new Map<number, Buffer>();
  /** VLArbitrationTable by block * 256 + port, 64 bytes each, where one was written. */
  readonly vlArbitration = new Map<number, Buffer>();
  /** Switches: a port went up or down since the subnet manager has cleared it (SwitchInfo:PortStateChange). */
  hasPortStateChange = false;
  /** Switches: SwitchInfo:LifeTimeValue. */
  lifeTimeValue = 18;
  /** Switches: SwitchInfo:DefaultPort, DefaultMulticastPrimaryPort, DefaultMulticastNotPrimaryPort, MulticastFDBTop. */
  switchDefaults: SwitchDefaults = { port: 0, multicastPrimary: 0, multicastNotPrimary: 0, multicastTop: 0 };
  /** Switches only. */
  readonly tables: ForwardingTables | undefined;

  constructor(description: TopologyNode, pkeys: readonly PKey[] = description.pkeys) {
    this.id = description.id;
    this.kind = description.kind;
    this.description = description.description;
    this.nodeGuid = description.nodeGuid;
    this.systemImageGuid = description.systemImageGuid;
    this.vendorId = description.vendorId;
    this.deviceId = description.deviceId;
    this.portCount = description.portCount;
    this.pkeys = pkeys;
    this.tables = description.kind === "switch" ? new ForwardingTables() : undefined;
    this.ports = description.ports.map((port) => new FabricPort(this, port));
  }

  port(number: number): FabricPort | undefined {
    return this.ports[this.kind === "switch" ? number : number - 1];
  }

  /** The ports that can have LIDs: port 0 of a switch, every port of another node. */
  get endPorts(): readonly FabricPort[] {
    return this.kind === "switch" ? this.ports.slice(0, 1) : this.ports;
  }
}
