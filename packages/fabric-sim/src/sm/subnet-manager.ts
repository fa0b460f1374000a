import { emptyMcMemberRecord, Gid, Lid, Mtu, PKey, PortState, Rate, Selector } from "@verbena/ib";
import { simError } from "../errors.js";
import { Listeners } from "../fabric/events.js";
import type { Fabric } from "../fabric/fabric.js";
import type { FabricPort } from "../fabric/port.js";
import { SUBNET_TIMEOUT } from "../fabric/port.js";
import { assignLids } from "./assign-lids.js";
import { discover } from "./discover.js";
import { type MulticastGroup, MulticastGroups } from "./multicast-groups.js";
import { MulticastTree } from "./multicast-routes.js";
import type { SmChange } from "./sm-change.js";
import { Subnet } from "./subnet.js";
import { programUnicastRoutes } from "./unicast-routes.js";

/** How the built-in subnet manager runs. */
export interface SubnetManagerOptions {
  /** Port it sits on: `NODE` or `NODE[PORT]`. Default: the first connected HCA port of the file. */
  readonly smNode?: string | undefined;
  /** LMC of every host port; default what the topology file says. */
  readonly lmc?: number | undefined;
}

/**
 * The built-in subnet manager. It knows the fabric's objects directly, so it needs no management packets; what it leaves behind
 * (LIDs, tables, states, events) is what a real one leaves.
 */
export class SubnetManager {
  /** Where the master sits. */
  port: FabricPort;
  readonly groups: MulticastGroups;
  readonly changes = new Listeners<SmChange>();
  subnet: Subnet;
  readonly #fabric: Fabric;
  readonly #lmc: number | undefined;
  #stopListening: () => void = () => undefined;
  #tree = new MulticastTree([]);
  #isSweepDue = false;
  #isClosed = false;

  constructor(fabric: Fabric, options: SubnetManagerOptions = {}) {
    this.#fabric = fabric;
    this.#lmc = options.lmc;
    this.port = smPort(fabric, options.smNode);
    this.subnet = NOTHING;
    this.groups = new MulticastGroups(
      undefined,
      (group) => {
        this.#programGroup(group);
      },
      (type, { record }) => {
        this.changes.emit({ type, record });
      },
    );
    this.groups.create(broadcastGroup(), true);
  }

  /** Manages the subnet from now on: brings it up, and follows every link. Without it another manager has the fabric. */
  start(): void {
    this.#stopListening = this.#fabric.events.add((event) => {
      if (event.type === "link") this.#sweepSoon();
    });
    this.sweep();
  }

  /** Brings the subnet up, or follows what has changed since the last time. Behind a link that is down it sees nothing, and changes nothing. */
  sweep(): void {
    this.port.hasBuiltInSm = true;
    if (!this.port.isLinkUp && this.subnet !== NOTHING) return;
    const found = discover(this.port);
    const reachable = new Set(found.endPorts);
    const taken = new Set<number>();
    for (const node of this.#fabric.nodes) {
      for (const port of node.endPorts) {
        for (
          let lid: number = port.lid;
          !reachable.has(port) && port.lid !== 0 && lid < port.lid + (1 << port.lmc);
          lid++
        )
          taken.add(lid);
      }
    }
    const moved = new Set(assignLids(found.endPorts, this.port, (port) => this.#lmcOf(port), taken));
    programUnicastRoutes(found.switches, found.endPorts);
    const before = new Set(this.subnet.endPorts);
    this.subnet = new Subnet(found);
    this.#tree = new MulticastTree(found.switches);
    this.groups.keepOnly(reachable);
    this.#programAllGroups();
    for (const node of found.switches) {
      node.hasPortStateChange = false;
      for (const port of node.ports) this.#bringUp(port);
    }
    for (const port of found.endPorts) this.#announce(port, moved.has(port), !before.has(port));
    for (const port of before) if (!reachable.has(port)) this.changes.emit({ type: "port-out", port });
    for (const port of found.endPorts) if (!before.has(port)) this.changes.emit({ type: "port-in", port });
  }

  /** Asks every port to register again, as after a take-over: memberships, subscriptions and services are forgotten. */
  reregister(): void {
    this.#forget();
    this.#programAllGroups();
    for (const port of this.subnet.endPorts) this.#askToRegister(port);
  }

  /**
   * Another port becomes the master, as after the death of the old one, which may have happened: LIDs stay, every port that the new one
   * reaches learns of its new manager and SA, and the new one knows of no memberships, subscriptions or services.
   *
   * @throws VerbenaError `VERBENA_SIM_SM_NODE` for a port without a link, or that has the manager already
   */
  handOver(name: string): void {
    const to = smPort(this.#fabric, name);
    const bad = (problem: string) => simError("VERBENA_SIM_SM_NODE", { details: { name, problem } });
    if (to === this.port) throw bad("the manager is there already");
    if (!to.isLinkUp) throw bad("its link is down");
    // First: what the new manager finds is reported to nobody who had subscribed with the old one.
    this.#forget();
    this.port.hasBuiltInSm = false;
    this.#fabric.events.emit({ type: "state", port: this.port });
    this.port = to;
    this.subnet = NOTHING;
    this.sweep();
  }

  /** Gives a port the lowest LID that nobody has had yet, and tells it. */
  changeLid(port: FabricPort): void {
    let highest = 0;
    for (const node of this.#fabric.nodes)
      for (const one of node.endPorts) highest = Math.max(highest, one.lid + (1 << one.lmc) - 1);
    const count = 1 << port.lmc;
    const lid = Math.ceil((highest + 1) / count) * count;
    if (lid + count - 1 > Lid.UNICAST_MAX) {
      throw simError("VERBENA_SIM_OPTION", { details: { option: "lid change", problem: "no unicast LID is left" } });
    }
    port.lid = Lid.from(lid);
    programUnicastRoutes(this.subnet.switches, this.subnet.endPorts);
    this.subnet = new Subnet(this.subnet);
    this.#fabric.events.emit({ type: "state", port });
    this.#fabric.events.emit({ type: "async-event", port, event: "lid-change" });
    if (port === this.port) for (const one of this.subnet.endPorts) this.#announce(one, false, false);
  }

  close(): void {
    this.#isClosed = true;
    this.#stopListening();
  }

  #forget(): void {
    this.changes.emit({ type: "taken-over" });
    this.groups.clear();
  }

  #askToRegister(port: FabricPort): void {
    if (port.number !== 0) this.#fabric.events.emit({ type: "async-event", port, event: "client-reregister" });
  }

  #lmcOf(port: FabricPort): number {
    return port.number === 0 ? 0 : (this.#lmc ?? port.lmcWanted);
  }

  #sweepSoon(): void {
    if (this.#isSweepDue) return;
    this.#isSweepDue = true;
    this.#fabric.services.defer(() => {
      this.#isSweepDue = false;
      if (!this.#isClosed) this.sweep();
    });
  }

  /** External switch ports take part as soon as their link is up. */
  #bringUp(port: FabricPort): void {
    if (!port.isLinkUp || port.state === PortState.ACTIVE) return;
    port.state = PortState.ACTIVE;
    if (!port.isEndPort) this.#fabric.events.emit({ type: "state", port });
  }

  /** Sets what the manager sets in an end port, then tells of what is new, in the order in which a kernel does. */
  #announce(port: FabricPort, isMoved: boolean, isUnknown: boolean): void {
    const { events } = this.#fabric;
    const isNew = port.state !== PortState.ACTIVE && port.isLinkUp;
    const hasNewSm = port.smLid !== this.port.lid;
    port.smLid = this.port.lid;
    if (isNew) port.state = PortState.ACTIVE;
    if (!isNew && !hasNewSm && !isMoved && !isUnknown) return;
    events.emit({ type: "state", port });
    if (port.number === 0) return;
    if (isMoved) events.emit({ type: "async-event", port, event: "lid-change" });
    if (hasNewSm) events.emit({ type: "async-event", port, event: "sm-change" });
    if (isNew) events.emit({ type: "async-event", port, event: "port-active" });
    // Also one that stayed active while it was cut off: it may have missed reports, and has lost its memberships (OpenSM does the same).
    if (isNew || isUnknown) this.#askToRegister(port);
  }

  #programAllGroups(): void {
    for (const node of this.#fabric.nodes) node.tables?.clearGroups();
    for (const group of this.groups.all()) this.#programGroup(group);
  }

  #programGroup(group: MulticastGroup): void {
    const ports = this.#tree.portsFor(group.members.keys());
    for (const node of this.subnet.switches) node.tables?.setGroup(group.record.mlid, ports.get(node) ?? new Set());
  }
}

/** What a manager knows that has not looked yet. */
const NOTHING = new Subnet({ nodes: [], switches: [], endPorts: [] });

/** The IPv4 broadcast group of the default partition, as OpenSM makes it. */
function broadcastGroup() {
  return emptyMcMemberRecord({
    mgid: Gid.parse("ff12:401b:ffff::ffff:ffff"),
    qkey: 0x0b1b,
    mlid: Lid.MULTICAST_MIN,
    mtuSelector: Selector.EXACTLY,
    mtu: Mtu.MTU_2048,
    pkey: PKey.DEFAULT,
    rateSelector: Selector.EXACTLY,
    rate: Rate.RATE_10,
    packetLifeTimeSelector: Selector.EXACTLY,
    packetLifeTime: SUBNET_TIMEOUT,
    scope: 2,
  });
}

function smPort(fabric: Fabric, name: string | undefined): FabricPort {
  const bad = (problem: string) => simError("VERBENA_SIM_SM_NODE", { details: { name: name ?? "", problem } });
  if (name !== undefined) {
    const port = fabric.portsNamed(name).find((one) => one.isEndPort);
    if (port === undefined) throw bad("it is a switch, or has no such port");
    return port;
  }
  const ports = fabric.nodes.filter((node) => node.kind === "ca").flatMap((node) => node.ports);
  const port = ports.find((one) => one.cable !== undefined) ?? ports[0];
  if (port === undefined) throw bad("the topology has no HCA");
  return port;
}
