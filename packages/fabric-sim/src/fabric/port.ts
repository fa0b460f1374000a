import type { Mtu} from "@verbena/ib";
import { Gid, type Guid, Lid, type PKey, PortCapability, PortPhysicalState, PortState, Rate } from "@verbena/ib";
import { type LinkMasks, type LinkRate, negotiate } from "../topology/link-speed.js";
import type { TopologyPort } from "../topology/model.js";
import type { FabricNode } from "./node.js";

/** SubnetTimeOut that OpenSM gives to ports: 4.096 µs × 2^18 = 1.07 s. */
export const SUBNET_TIMEOUT = 18;

const HCA_CAPABILITIES =
  PortCapability.IS_TRAP |
  PortCapability.IS_AUTO_MIGRATION |
  PortCapability.IS_SL_MAPPING |
  PortCapability.IS_LED_INFO |
  PortCapability.IS_SYSTEM_IMAGE_GUID |
  PortCapability.IS_EXTENDED_SPEEDS |
  PortCapability.IS_CM |
  PortCapability.IS_CLIENT_REREGISTER;
const SWITCH_CAPABILITIES = PortCapability.IS_TRAP | PortCapability.IS_SL_MAPPING | PortCapability.IS_SYSTEM_IMAGE_GUID;

/** A port of the running fabric: what the topology says, and the state that links and the subnet manager give it. */
export class FabricPort {
  readonly number: number;
  readonly guid: Guid;
  readonly mtuCap: Mtu;
  readonly masks: LinkMasks;
  /** What the topology file wants; the subnet manager keeps to it if it can. */
  readonly wantedLid: number;
  readonly lmcWanted: number;
  readonly pkeys: readonly PKey[];
  /** The port at the other end of the cable, whether the link is up or not. */
  cable: FabricPort | undefined;
  /** False while a command holds the link down. */
  isEnabled = true;
  state: number = PortState.DOWN;
  lid: Lid = Lid.zero;
  lmc = 0;
  smLid: Lid = Lid.zero;
  smSl = 0;
  subnetTimeout = SUBNET_TIMEOUT;
  gidPrefix = Gid.linkLocalPrefix;
  neighborMtu: Mtu;
  /** The built-in subnet manager sits here. */
  hasBuiltInSm = false;
  /** A program on this port says that it is a subnet manager. */
  isSmClaimed = false;

  constructor(
    readonly node: FabricNode,
    description: TopologyPort,
  ) {
    this.number = description.number;
    this.guid = description.guid;
    this.mtuCap = description.mtu;
    this.neighborMtu = description.mtu;
    this.masks = { widths: description.widths, speeds: description.speeds };
    this.wantedLid = description.lid ?? 0;
    this.lmcWanted = description.lmc;
    this.pkeys = node.pkeys;
  }

  /** `H1[1]`. */
  get name(): string {
    return `${this.node.id}[${this.number}]`;
  }

  /** Port 0 of a switch, or a port of another node: it can have a LID. */
  get isEndPort(): boolean {
    return this.number === 0 || this.node.kind !== "switch";
  }

  get isLinkUp(): boolean {
    if (this.number === 0) return true;
    return this.cable !== undefined && this.isEnabled && this.cable.isEnabled;
  }

  /** The neighbour over a link that is up. */
  get neighbour(): FabricPort | undefined {
    return this.isLinkUp ? this.cable : undefined;
  }

  get physState(): number {
    if (this.isLinkUp) return PortPhysicalState.LINK_UP;
    return this.isEnabled ? PortPhysicalState.POLLING : PortPhysicalState.DISABLED;
  }

  /** Width and speed of the link; of port 0, and while the link is down, the slowest there is at the port's own width. */
  get link(): LinkRate {
    return (this.cable === undefined ? undefined : negotiate(this.masks, this.cable.masks)) ?? { width: 2, speed: 1 };
  }

  get rate(): Rate {
    return Rate.fromWidthSpeed(this.link.width, this.link.speed) ?? Rate.RATE_10;
  }

  get capabilityMask(): number {
    const own = this.node.kind === "switch" ? SWITCH_CAPABILITIES : HCA_CAPABILITIES;
    return this.hasBuiltInSm || this.isSmClaimed ? own | PortCapability.IS_SM : own;
  }

  get gid(): Gid {
    return Gid.of(this.gidPrefix, this.guid);
  }

  /** True for each of the 2^lmc LIDs of the port. */
  hasLid(lid: number): boolean {
    return this.lid !== 0 && lid >= this.lid && lid < this.lid + (1 << this.lmc);
  }
}
