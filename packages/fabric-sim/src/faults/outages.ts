import type { Fabric } from "../fabric/fabric.js";
import { NO_ROUTE } from "../fabric/forwarding-tables.js";
import type { FabricNode } from "../fabric/node.js";
import type { FabricPort } from "../fabric/port.js";

/** Links and nodes that go away, for a while or until they are brought back. */
export class Outages {
  /** Links that went with a node, by one of their ends. */
  readonly #removed = new Map<FabricNode, readonly FabricPort[]>();
  readonly #pending = new Set<() => void>();

  constructor(private readonly fabric: Fabric) {}

  /** Takes links down and up again, several times; resolves when they are up for the last time. Each state lasts `downMs`. */
  async flap(ports: readonly FabricPort[], downMs: number, times: number): Promise<void> {
    for (let turn = 0; turn < times; turn++) {
      if (turn > 0) await this.#pass(downMs);
      for (const port of ports) this.fabric.setLink(port, false);
      await this.#pass(downMs);
      for (const port of ports) this.fabric.setLink(port, true);
    }
  }

  /** True while the node is away. */
  isRemoved(node: FabricNode): boolean {
    return this.#removed.has(node);
  }

  /** Pulls all cables of a node that are up; a second time nothing. */
  remove(node: FabricNode): void {
    if (this.#removed.has(node)) return;
    const links = node.ports.filter((port) => port.number > 0 && port.isLinkUp);
    this.#removed.set(node, links);
    for (const port of links) this.fabric.setLink(port, false);
  }

  /** Puts back the cables that `remove` has pulled. */
  restore(node: FabricNode): void {
    const links = this.#removed.get(node) ?? [];
    this.#removed.delete(node);
    for (const port of links) this.fabric.setLink(port, true);
  }

  /** A node that starts anew: its links go, a switch forgets its tables, and after a while its links are back. */
  async reboot(node: FabricNode, downMs: number): Promise<void> {
    this.remove(node);
    node.tables?.clearRoutes();
    node.tables?.clearGroups();
    await this.#pass(downMs);
    this.restore(node);
  }

  /** Nothing comes back any more. */
  close(): void {
    for (const cancel of this.#pending) cancel();
    this.#pending.clear();
  }

  #pass(delayMs: number): Promise<void> {
    return new Promise((settle) => {
      const cancel = this.fabric.services.clock.schedule(delayMs, () => {
        this.#pending.delete(cancel);
        settle();
      });
      this.#pending.add(cancel);
    });
  }
}

/**
 * Takes the entries for `destination` from the table of the first switch behind `source`: packets from there no longer arrive, the way
 * back stays. The next sweep repairs it. False if there is no such switch, or if the destination is that switch or the source.
 */
export function cutRoute(source: FabricPort, destination: FabricPort): boolean {
  const node = source.node.tables === undefined ? source.neighbour?.node : source.node;
  if (source === destination || destination.lid === 0) return false;
  if (node?.tables === undefined || node === destination.node) return false;
  for (let offset = 0; offset < 1 << destination.lmc; offset++)
    node.tables.setRoute(destination.lid + offset, NO_ROUTE);
  return true;
}
