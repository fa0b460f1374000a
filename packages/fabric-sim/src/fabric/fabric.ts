import { type Guid, type PKey, PortState } from "@verbena/ib";
import { simError } from "../errors.js";
import { WireFaults } from "../faults/wire-faults.js";
import type { LinkEnd, Topology } from "../topology/model.js";
import { needNodesNamed, splitEnd } from "../topology/node-names.js";
import type { DropReason } from "./drop-reason.js";
import { type FabricEvent, Listeners, type TraceRecord } from "./events.js";
import { FabricNode } from "./node.js";
import { destinationLid, isManagement, pkeyOf } from "./packet-head.js";
import type { FabricPort } from "./port.js";
import { countTransit, transit } from "./route.js";
import type { FabricServices } from "./services.js";

/** Gets the packets that arrive at a port. The buffer is shared between receivers: read only. */
export type PortReceiver = (port: FabricPort, packet: Buffer) => void;

/** Packets handled in one turn of the event loop before others get theirs. */
const BATCH = 512;

/**
 * The running fabric: nodes, links and the packets between them. It forwards as its switches' tables say and knows nothing of
 * management: a subnet manager fills the tables, agents and attached programs receive.
 */
export class Fabric {
  readonly nodes: readonly FabricNode[];
  readonly events = new Listeners<FabricEvent>();
  readonly trace = new Listeners<TraceRecord>();
  readonly faults: WireFaults;
  readonly #byId: ReadonlyMap<string, FabricNode>;
  readonly #byPortGuid: ReadonlyMap<Guid, FabricPort>;
  readonly #queue: { readonly source: FabricPort; readonly packet: Buffer }[] = [];
  #isDraining = false;
  #receiver: PortReceiver = () => undefined;

  constructor(
    topology: Topology,
    readonly services: FabricServices,
    pkeysOf: (nodeId: string) => readonly PKey[] | undefined = () => undefined,
  ) {
    this.faults = new WireFaults(services);
    this.nodes = topology.nodes.map((node) => new FabricNode(node, pkeysOf(node.id) ?? node.pkeys));
    this.#byId = new Map(this.nodes.map((node) => [node.id, node]));
    this.#byPortGuid = new Map(this.nodes.flatMap((node) => node.endPorts.map((port) => [port.guid, port] as const)));
    for (const { id, ports } of topology.nodes) {
      for (const { number, remote } of ports) {
        const own = this.portAt({ node: id, port: number });
        if (own !== undefined && remote !== undefined) own.cable = this.portAt(remote);
      }
    }
    for (const node of this.nodes) for (const port of node.ports) this.#resetPort(port);
  }

  nodeById(id: string): FabricNode | undefined {
    return this.#byId.get(id);
  }

  /** End port with that GUID. */
  portByGuid(guid: Guid): FabricPort | undefined {
    return this.#byPortGuid.get(guid);
  }

  /** End port that answers to the LID; looked for, so not for every packet. */
  portByLid(lid: number): FabricPort | undefined {
    return this.nodes.flatMap((node) => node.endPorts).find((port) => port.hasLid(lid));
  }

  portAt(end: LinkEnd): FabricPort | undefined {
    return this.#byId.get(end.node)?.port(end.port);
  }

  /**
   * The ports that `NODE` or `NODE[PORT]` names: with a port number exactly one, without one all cabled ports of the node.
   *
   * @throws VerbenaError `VERBENA_SIM_NODE_UNKNOWN`, `VERBENA_SIM_PORT_UNKNOWN`
   */
  portsNamed(text: string): readonly FabricPort[] {
    const { name, port } = splitEnd(text);
    const fail = (problem: string) => simError("VERBENA_SIM_PORT_UNKNOWN", { details: { name: text, problem } });
    const nodes = needNodesNamed(this.nodes, name);
    const [node] = nodes;
    if (node === undefined || nodes.length > 1) throw fail(`${nodes.length} nodes have that name; use an id`);
    if (port === undefined) {
      const cabled = node.ports.filter((one) => one.cable !== undefined);
      if (cabled.length === 0) throw fail("the node has no connected port");
      return cabled;
    }
    const one = node.port(port);
    if (one === undefined) throw fail(`the node has ports 1 to ${node.portCount}`);
    return [one];
  }

  /** As `portsNamed`, but exactly one port must be meant. */
  portNamed(text: string): FabricPort {
    const [port, another] = this.portsNamed(text);
    if (port === undefined || another !== undefined) {
      throw simError("VERBENA_SIM_PORT_UNKNOWN", {
        details: { name: text, problem: "the node has several connected ports" },
      });
    }
    return port;
  }

  /** Names the function that gets every packet that arrives anywhere. */
  setReceiver(receiver: PortReceiver): void {
    this.#receiver = receiver;
  }

  /** Puts a packet on the wire at `source`. It is forwarded later, in order; the buffer must not change any more. */
  send(source: FabricPort, packet: Buffer): void {
    this.#queue.push({ source, packet });
    this.#drainSoon();
  }

  /** As `send`, but forwards at once: for what comes from outside, so that whoever sends too much is read later. */
  carry(source: FabricPort, packet: Buffer): void {
    this.#forward(source, packet);
  }

  /** Gives a packet to the receiver at `port` later, in order with those sent before, without any forwarding; `origin`: see `TraceRecord`. */
  arriveAt(port: FabricPort, packet: Buffer, origin?: Buffer): void {
    this.services.defer(() => {
      this.#arrive(port, packet, origin);
    });
  }

  /** Tells traces that a packet ended at `port`. */
  drop(port: FabricPort, packet: Buffer, reason: DropReason): void {
    if (!this.trace.isEmpty) this.trace.emit({ type: "drop", port, packet, reason });
  }

  /** Enables or disables the link at a port. Both ends learn of it; the subnet manager brings the ports up again. */
  setLink(port: FabricPort, isUp: boolean): void {
    const ends = [port, port.cable].filter((end) => end !== undefined);
    const before = ends.map((end) => end.isLinkUp);
    for (const end of ends) end.isEnabled = isUp;
    ends.forEach((end, index) => {
      if (end.isLinkUp === before[index]) return;
      const wasActive = end.state === PortState.ACTIVE;
      if (!end.isLinkUp) end.counters.linkDowned += 1;
      end.node.hasPortStateChange = true;
      this.#resetPort(end);
      this.events.emit({ type: "state", port: end });
      if (!end.isLinkUp && wasActive && end.isEndPort)
        this.events.emit({ type: "async-event", port: end, event: "port-err" });
    });
    ends.forEach((end, index) => {
      if (end.isLinkUp !== before[index]) this.events.emit({ type: "link", port: end, isUp: end.isLinkUp });
    });
  }

  /** What a port is right after its link came up or went down. */
  #resetPort(port: FabricPort): void {
    port.train();
    if (port.number === 0) port.state = PortState.ACTIVE;
    else port.state = port.isLinkUp ? PortState.INIT : PortState.DOWN;
    const { neighbour } = port;
    port.neighborMtu = neighbour !== undefined && neighbour.mtuCap < port.mtuCap ? neighbour.mtuCap : port.mtuCap;
  }

  #drainSoon(): void {
    if (this.#isDraining) return;
    this.#isDraining = true;
    this.services.defer(() => {
      this.#drain();
    });
  }

  #drain(): void {
    for (const { source, packet } of this.#queue.splice(0, BATCH)) this.#forward(source, packet);
    this.#isDraining = false;
    if (this.#queue.length > 0) this.#drainSoon();
  }

  #forward(source: FabricPort, packet: Buffer): void {
    const dlid = destinationLid(packet);
    if (!this.trace.isEmpty) this.trace.emit({ type: "send", port: source, packet });
    if (dlid === undefined) {
      this.drop(source, packet, "malformed");
      return;
    }
    const way = transit(source, dlid, isManagement(packet) ? "management" : "data", pkeyOf(packet));
    countTransit(source, way, packet.length);
    this.faults.deliver(way, packet, {
      pass: (hop) => {
        if (!this.trace.isEmpty) this.trace.emit({ type: "forward", hop, packet });
      },
      arrive: (port) => {
        this.#arrive(port, packet);
      },
      lose: (port) => {
        this.drop(port, packet, "fault");
      },
    });
    const { endedBranches = [] } = way;
    for (const { port, reason } of endedBranches) this.drop(port, packet, reason);
    if (way.dropped !== undefined && endedBranches.length === 0)
      this.drop(way.hops.at(-1)?.to ?? source, packet, way.dropped);
  }

  #arrive(port: FabricPort, packet: Buffer, origin?: Buffer): void {
    if (!this.trace.isEmpty) {
      this.trace.emit({ type: "deliver", port, packet, ...(origin === undefined ? {} : { origin }) });
    }
    this.#receiver(port, packet);
  }
}
