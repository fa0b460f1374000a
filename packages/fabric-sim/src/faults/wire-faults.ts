import type { FabricNode } from "../fabric/node.js";
import { destinationQpn } from "../fabric/packet-head.js";
import type { FabricPort } from "../fabric/port.js";
import type { Hop, Transit } from "../fabric/route.js";
import type { FabricServices } from "../fabric/services.js";

/** Packets to queue pairs 0 and 1, such as those of the SA; packets to all others; both. */
export const FAULT_TRAFFIC = ["mads", "data", "all"] as const;
/** Which packets a fault happens to, of {@link FAULT_TRAFFIC}. */
export type FaultTraffic = (typeof FAULT_TRAFFIC)[number];

/** What happens to packets that leave a port. Percentages are 0 to 100, each packet is drawn anew. */
export interface LinkFault {
  /** Packets that are lost. */
  readonly lossPercent: number;
  /** Time on the link. */
  readonly delayMs: number;
  /** Up to so much more, evenly spread. */
  readonly jitterMs: number;
  /** Packets that arrive twice. */
  readonly duplicatePercent: number;
  /** Packets that are held back for `REORDER_HOLD_MS`, so that later ones overtake them. */
  readonly reorderPercent: number;
  /** Which packets it happens to; default all. */
  readonly traffic?: FaultTraffic;
}

/** How long a packet is held back that others shall overtake. */
export const REORDER_HOLD_MS = 10;

/** What one link does to one packet. */
interface Outcome {
  readonly isLost: boolean;
  readonly copies: number;
  readonly delayMs: number;
}

const UNTOUCHED: Outcome = { isLost: false, copies: 1, delayMs: 0 };

/** Where a packet ended: arrived, perhaps several times, or was lost behind a port. */
export interface DeliverySink {
  /** Called for each link that carried it, in order, before anything else. */
  readonly pass: (hop: Hop) => void;
  readonly arrive: (port: FabricPort) => void;
  readonly lose: (behind: FabricPort) => void;
}

/** Faults of the simulated wire, for each direction of each link. The numbers come from the fabric's seeded source. */
export class WireFaults {
  readonly #byPort = new Map<FabricPort, LinkFault>();
  readonly #timers = new Set<() => void>();
  #everywhere: LinkFault | undefined;

  constructor(private readonly services: FabricServices) {}

  /** Sets the fault of a port's outgoing direction, or of all ports that have none of their own; no fault takes it away. */
  set(port: FabricPort | undefined, fault: LinkFault | undefined): void {
    if (port === undefined) this.#everywhere = fault;
    else if (fault === undefined) this.#byPort.delete(port);
    else this.#byPort.set(port, fault);
  }

  /** Takes all faults away. Packets on their way still arrive. */
  clear(): void {
    this.#everywhere = undefined;
    this.#byPort.clear();
  }

  /** The faults that are set; without a port, that of all others. */
  list(): readonly { readonly port?: FabricPort; readonly fault: LinkFault }[] {
    const own = [...this.#byPort].map(([port, fault]) => ({ port, fault }));
    return this.#everywhere === undefined ? own : [{ fault: this.#everywhere }, ...own];
  }

  /** Lets a packet that the tables have sent on its way arrive, or not. Copies that part behind a link share its fate on it. */
  deliver({ hops, arrivals }: Transit, packet: Buffer, sink: DeliverySink): void {
    if (this.#everywhere === undefined && this.#byPort.size === 0) {
      for (const hop of hops) sink.pass(hop);
      for (const port of arrivals) sink.arrive(port);
      return;
    }
    const outcomes = new Map<Hop, Outcome>();
    const lost = new Set<FabricPort>();
    const ends: (() => void)[] = [];
    for (const port of arrivals) {
      let copies = 1;
      let delayMs = 0;
      let lostBehind: FabricPort | undefined;
      for (const hop of way(hops, port)) {
        const outcome = outcomes.get(hop) ?? this.#draw(hop.from, packet);
        outcomes.set(hop, outcome);
        if (outcome.isLost) lostBehind = hop.from;
        copies *= outcome.copies;
        delayMs += outcome.delayMs;
      }
      if (lostBehind !== undefined) {
        lost.add(lostBehind);
        continue;
      }
      ends.push(() => {
        this.#arriveAfter(delayMs, () => {
          for (let copy = 0; copy < copies; copy++) sink.arrive(port);
        });
      });
    }
    for (const hop of carried(hops, lost)) sink.pass(hop);
    for (const port of lost) sink.lose(port);
    for (const end of ends) end();
  }

  /** Drops what is on its way. */
  close(): void {
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
  }

  #draw(port: FabricPort, packet: Buffer): Outcome {
    const fault = this.#byPort.get(port) ?? this.#everywhere;
    if (fault === undefined) return UNTOUCHED;
    const { traffic = "all" } = fault;
    if (traffic !== "all" && traffic !== trafficOf(packet)) return UNTOUCHED;
    const happens = (percent: number) => percent > 0 && this.services.random() * 100 < percent;
    if (happens(fault.lossPercent)) return { isLost: true, copies: 0, delayMs: 0 };
    const held = happens(fault.reorderPercent) ? REORDER_HOLD_MS : 0;
    const jitter = fault.jitterMs > 0 ? this.services.random() * fault.jitterMs : 0;
    return {
      isLost: false,
      copies: happens(fault.duplicatePercent) ? 2 : 1,
      delayMs: fault.delayMs + jitter + held,
    };
  }

  #arriveAfter(delayMs: number, arrive: () => void): void {
    if (delayMs === 0) {
      arrive();
      return;
    }
    const cancel = this.services.clock.schedule(delayMs, () => {
      this.#timers.delete(cancel);
      arrive();
    });
    this.#timers.add(cancel);
  }
}

function trafficOf(packet: Buffer): FaultTraffic {
  return (destinationQpn(packet) ?? 0) <= 1 ? "mads" : "data";
}

/** The hops that a packet made which was lost behind some ports. */
function* carried(hops: readonly Hop[], lost: ReadonlySet<FabricPort>): Generator<Hop> {
  const unreached = new Set<FabricNode>();
  for (const hop of hops) {
    if (lost.has(hop.from) || unreached.has(hop.from.node)) unreached.add(hop.to.node);
    else yield hop;
  }
}

/** The hops that lead to an arrival, last first; of a multicast packet those of its branch. */
function* way(hops: readonly Hop[], arrival: FabricPort): Generator<Hop> {
  const seen = new Set<Hop>();
  let hop = hops.find(({ to }) => to === arrival || (arrival.number === 0 && to.node === arrival.node));
  while (hop !== undefined && !seen.has(hop)) {
    yield hop;
    seen.add(hop);
    const { node } = hop.from;
    hop = hops.find(({ to }) => to.node === node);
  }
}
