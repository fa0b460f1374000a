import { PortState } from "@verbena/ib";
import type { AttachedHca, AttachHost, HcaChange, KeyKind } from "../attach/attach-host.js";
import { Listeners } from "../fabric/events.js";
import type { Fabric } from "../fabric/fabric.js";
import type { FabricNode } from "../fabric/node.js";
import { destinationQpn, isManagement, pkeyOf } from "../fabric/packet-head.js";
import type { FabricPort } from "../fabric/port.js";
import { admitsPkey } from "../gsi/gsi.js";
import { nodesNamed } from "../topology/node-names.js";
import { HcaView } from "./hca-view.js";

/** Counters of 16 bits stay at their highest value. */
const MAX_VIOLATIONS = 0xffff;

/** Agents have queue pairs 0 and 1; packets for others need not be decoded to know that. */
function isForQueuePair(packet: Buffer): boolean {
  return (destinationQpn(packet) ?? 0) > 1;
}

type Receiver = (portNumber: number, packet: Buffer) => void;

/** An agent inside the fabric that may take a packet away from the programs on a port: true if it has. */
export type PortAgent = (port: FabricPort, packet: Buffer) => boolean;

/** Joins the fabric and the programs attached to its HCAs. */
export class FabricHost implements AttachHost {
  /** What programs on a port get, before they get it. */
  readonly deliveries = new Listeners<{ readonly port: FabricPort; readonly packet: Buffer }>();
  readonly #fabric: Fabric;
  readonly #views: readonly HcaView[];
  readonly #byNode: ReadonlyMap<FabricNode, HcaView>;
  readonly #receivers = new Map<HcaView, Receiver>();
  readonly #changes = new Listeners<{ readonly hca: AttachedHca; readonly change: HcaChange }>();
  readonly #agents: PortAgent[] = [];
  readonly #senders: PortAgent[] = [];
  readonly #stopListening: () => void;

  constructor(fabric: Fabric) {
    this.#fabric = fabric;
    this.#views = fabric.nodes.filter((node) => node.kind === "ca").map((node, index) => new HcaView(index, node));
    this.#byNode = new Map(this.#views.map((view) => [view.node, view]));
    fabric.setReceiver((port, packet) => {
      this.#receive(port, packet);
    });
    this.#stopListening = fabric.events.add((event) => {
      const hca = this.#byNode.get(event.port.node);
      if (hca === undefined || event.type === "link" || event.type === "capability") return;
      const change: HcaChange =
        event.type === "state"
          ? { type: "state" }
          : { type: "async-event", event: event.event, portNumber: event.port.number };
      this.#changes.emit({ hca, change });
    });
  }

  /** Adds an agent; agents are asked in the order in which they were added, before programs get the packet. */
  addAgent(agent: PortAgent): void {
    this.#agents.push(agent);
  }

  /** Adds an agent that may take over what programs send, before it goes on the wire. */
  addSender(sender: PortAgent): void {
    this.#senders.push(sender);
  }

  hcasNamed(name: string): readonly AttachedHca[] {
    const nodes = nodesNamed(this.#fabric.nodes, name);
    return nodes.map((node) => this.#byNode.get(node)).filter((view) => view !== undefined);
  }

  hcas(): readonly AttachedHca[] {
    return this.#views;
  }

  inject(hca: AttachedHca, portNumber: number, packet: Buffer): void {
    const port = this.#views[hca.index]?.node.port(portNumber);
    if (port === undefined) return;
    this.sendFrom(port, Buffer.from(packet));
  }

  /** Sends a packet as a program on the port's node would; the buffer must not change any more. */
  sendFrom(port: FabricPort, packet: Buffer): void {
    for (const sender of this.#senders) if (sender(port, packet)) return;
    if (port.state === PortState.ACTIVE || isManagement(packet)) this.#fabric.send(port, packet);
    else this.#fabric.drop(port, packet, "not-active");
  }

  carry(hca: AttachedHca, portNumber: number, packet: Buffer): void {
    const port = this.#views[hca.index]?.node.port(portNumber);
    if (port === undefined) return;
    if (port.state === PortState.ACTIVE) this.#fabric.carry(port, packet);
    else this.#fabric.drop(port, packet, "not-active");
  }

  countViolation(hca: AttachedHca, portNumber: number, kind: KeyKind): void {
    const port = this.#views[hca.index]?.node.port(portNumber);
    if (port !== undefined) this.#count(port, kind);
  }

  unclaimed(hca: AttachedHca, portNumber: number, packet: Buffer): void {
    const port = this.#views[hca.index]?.node.port(portNumber);
    if (port !== undefined) this.#fabric.drop(port, packet, "no-agent");
  }

  setReceiver(hca: AttachedHca, receiver: Receiver): void {
    const view = this.#views[hca.index];
    if (view !== undefined) this.#receivers.set(view, receiver);
  }

  onChange(listener: (hca: AttachedHca, change: HcaChange) => void): () => void {
    return this.#changes.add(({ hca, change }) => {
      listener(hca, change);
    });
  }

  setIsSm(hca: AttachedHca, portNumber: number, isOn: boolean): void {
    const port = this.#views[hca.index]?.node.port(portNumber);
    if (port === undefined) return;
    port.isSmClaimed = isOn;
    this.#fabric.events.emit({ type: "state", port });
    this.#fabric.events.emit({ type: "capability", port });
  }

  close(): void {
    this.#stopListening();
    this.#receivers.clear();
  }

  /** Programs see the counters in the port's state. */
  #count(port: FabricPort, kind: KeyKind): void {
    const counter = kind === "pkey" ? "pkeyViolations" : "qkeyViolations";
    if (port[counter] >= MAX_VIOLATIONS) return;
    port[counter] += 1;
    this.#fabric.events.emit({ type: "state", port });
  }

  #receive(port: FabricPort, packet: Buffer): void {
    if (!isForQueuePair(packet)) for (const agent of this.#agents) if (agent(port, packet)) return;
    // The port drops what is not of its partitions before any queue pair sees it (IBA 10.9.3).
    if (!isManagement(packet) && !admitsPkey(port, pkeyOf(packet))) {
      this.#count(port, "pkey");
      this.#fabric.drop(port, packet, "pkey");
      return;
    }
    if (!this.deliveries.isEmpty) this.deliveries.emit({ port, packet });
    const view = this.#byNode.get(port.node);
    const receiver = view === undefined ? undefined : this.#receivers.get(view);
    if (receiver === undefined) this.#fabric.drop(port, packet, "no-agent");
    else receiver(port.number, packet);
  }
}
