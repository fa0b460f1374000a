import type { Mtu } from "@verbena/ib";
import {
  Gid,
  type Guid,
  Lid,
  LinkSpeed,
  LinkWidth,
  type PKey,
  PortCapability,
  PortCapability2,
  PortPhysicalState,
  PortState,
  Rate,
} from "@verbena/ib";
import { type LinkMasks, type LinkRate, negotiate } from "../topology/link-speed.js";
import type { TopologyPort } from "../topology/model.js";
import type { FabricNode } from "./node.js";
import { PortCounters } from "./port-counters.js";
import { defaultPortSettings, type PortSettings } from "./port-settings.js";

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
const SWITCH_CAPABILITIES =
  PortCapability.IS_TRAP |
  PortCapability.IS_SL_MAPPING |
  PortCapability.IS_SYSTEM_IMAGE_GUID |
  PortCapability.IS_EXTENDED_SPEEDS;

const SLOWEST: LinkRate = { width: LinkWidth.WIDTH_4X, speed: LinkSpeed.SDR };

/** A port of the running fabric: what the topology says, and the state that links and the subnet manager give it. */
export class FabricPort {
  readonly number: number;
  readonly guid: Guid;
  readonly mtuCap: Mtu;
  /** Widths and speeds that the port supports. */
  readonly masks: LinkMasks;
  /** Those of them that a subnet manager lets it use, from the next training of the link on. */
  enabled: LinkMasks;
  /** What the topology file wants; the subnet manager keeps to it if it can. */
  readonly wantedLid: number;
  readonly lmcWanted: number;
  /** P_Key table; 0 marks a free entry. As the topology says until a subnet manager writes it. */
  pkeys: readonly PKey[];
  /** GUID table from entry 1 on; 0 marks a free entry. Entry 0 is the port GUID. */
  aliasGuids: readonly Guid[] = [];
  /** What a subnet manager may write into PortInfo and nobody else looks at. */
  settings: PortSettings = defaultPortSettings();
  readonly counters = new PortCounters();
  /** PortInfo:P_KeyViolations: packets that came to an end port and are not of its partitions. */
  pkeyViolations = 0;
  /** PortInfo:Q_KeyViolations: datagrams whose Q_Key is not that of the queue pair. */
  qkeyViolations = 0;
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
  #gidPrefix: bigint = Gid.linkLocalPrefix;
  #gid: Gid;
  neighborMtu: Mtu;
  /** The built-in subnet manager sits here. */
  hasBuiltInSm = false;
  /** A program on this port says that it is a subnet manager. */
  isSmClaimed = false;

  #link: LinkRate = SLOWEST;
  #rate: Rate = Rate.RATE_10;

  constructor(
    readonly node: FabricNode,
    description: TopologyPort,
  ) {
    this.number = description.number;
    this.guid = description.guid;
    this.#gid = Gid.of(this.#gidPrefix, this.guid);
    this.mtuCap = description.mtu;
    this.neighborMtu = description.mtu;
    this.masks = { widths: description.widths, speeds: description.speeds };
    this.enabled = this.masks;
    this.wantedLid = description.lid ?? 0;
    this.lmcWanted = description.lmc;
    this.pkeys = node.pkeys;
  }

  /** `H1[1]`. */
  get name(): string {
    return `${this.node.id}[${this.number}]`;
  }

  /** Subnet prefix of the port's GIDs. */
  get gidPrefix(): bigint {
    return this.#gidPrefix;
  }

  set gidPrefix(prefix: bigint) {
    this.#gidPrefix = prefix;
    this.#gid = Gid.of(prefix, this.guid);
  }

  /** GID 0: subnet prefix and port GUID. */
  get gid(): Gid {
    return this.#gid;
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

  /** Width and speed of the link, also while it is down; of a port without a cable the slowest there is. */
  get link(): LinkRate {
    return this.#link;
  }

  get rate(): Rate {
    return this.#rate;
  }

  get capabilityMask(): number {
    const own = this.node.kind === "switch" ? SWITCH_CAPABILITIES : HCA_CAPABILITIES;
    const second = this.capabilityMask2 === 0 ? 0 : PortCapability.HAS_CAP_MASK2;
    return own | second | (this.hasBuiltInSm || this.isSmClaimed ? PortCapability.IS_SM : 0);
  }

  /** What speeds there are; port 0 of a switch speaks for all its ports. */
  get capabilityMask2(): number {
    const ports = this.number === 0 ? this.node.ports : [this];
    const speeds = ports.reduce((mask, { masks }) => mask | masks.speeds, 0);
    return (
      (speeds & LinkSpeed.HDR ? PortCapability2.IS_LINK_SPEED_HDR : 0) |
      (speeds & LinkSpeed.NDR ? PortCapability2.IS_LINK_SPEED_NDR : 0) |
      (speeds & LinkSpeed.XDR ? PortCapability2.IS_EXTENDED_SPEEDS_2 | PortCapability2.IS_LINK_SPEED_XDR : 0)
    );
  }

  /** True for the port's own GUID and its aliases. */
  hasGuid(guid: bigint): boolean {
    return guid === this.guid || (guid !== 0n && this.aliasGuids.some((alias) => alias === guid));
  }

  /** True for each of the 2^lmc LIDs of the port. */
  hasLid(lid: number): boolean {
    return this.lid !== 0 && lid >= this.lid && lid < this.lid + (1 << this.lmc);
  }

  /**
   * Settles width and speed with the neighbour, as a link does when it comes up: what the masks are then holds until the next
   * time. Two ports that have nothing enabled in common keep what they had.
   */
  train(): void {
    const link = this.cable === undefined ? undefined : negotiate(this.enabled, this.cable.enabled);
    if (link === undefined) return;
    this.#link = link;
    this.#rate = Rate.fromWidthSpeed(link.width, link.speed) ?? Rate.RATE_10;
  }
}
