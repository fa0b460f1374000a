import { type Notice, TrapNumber } from "@verbena/ib";
import type { Fabric } from "../fabric/fabric.js";
import type { FabricPort } from "../fabric/port.js";
import type { SmChange } from "../sm/sm-change.js";
import type { SubnetManager } from "../sm/subnet-manager.js";
import { isInPartition, sharePartition } from "./handler.js";
import { gidNotice, localChangeNotice } from "./notices.js";
import type { ReportSender } from "./report-sender.js";
import type { ServiceRegistry } from "./service-registry.js";
import { type Subscription, type Subscriptions, wantsNotice } from "./subscriptions.js";

/** What a subscriber must share with the source of a notice to hear of it. */
type Access = (subscriber: FabricPort) => boolean;

const ALL_LIDS = 0xffff;

/** Turns what happens in the subnet into notices for its subscribers (IBA 13.4.11, OpenSM's access rules). */
export class Notifier {
  readonly #known = new Map<FabricPort, { readonly capabilityMask: number; readonly description: string }>();
  readonly #stops: readonly (() => void)[];

  constructor(
    private readonly sm: SubnetManager,
    fabric: Fabric,
    private readonly subscriptions: Subscriptions,
    private readonly services: ServiceRegistry,
    private readonly reports: ReportSender,
  ) {
    for (const node of fabric.nodes) for (const port of node.endPorts) this.#remember(port);
    this.#stops = [
      sm.changes.add((change) => {
        this.#follow(change);
      }),
      fabric.events.add(({ type, port }) => {
        if (type === "state" && port.isEndPort) this.#compare(port);
      }),
    ];
  }

  close(): void {
    for (const stop of this.#stops) stop();
  }

  /** Tells those subscribers that share a partition with the issuer. */
  report(notice: Notice, issuer: FabricPort): void {
    this.#tell(notice, (subscriber) => sharePartition(issuer, subscriber), true);
  }

  #follow(change: SmChange): void {
    switch (change.type) {
      case "port-in":
      case "port-out": {
        const { port } = change;
        const trap = change.type === "port-in" ? TrapNumber.GID_IN_SERVICE : TrapNumber.GID_OUT_OF_SERVICE;
        this.#tell(gidNotice(this.sm.port, trap, port.gid), (subscriber) => sharePartition(port, subscriber), true);
        return;
      }
      case "group-created":
      case "group-deleted": {
        const { mgid, pkey } = change.record;
        const trap = change.type === "group-created" ? TrapNumber.MGID_CREATED : TrapNumber.MGID_DELETED;
        this.#tell(gidNotice(this.sm.port, trap, mgid), (subscriber) => isInPartition(subscriber, pkey), false);
        return;
      }
      case "taken-over":
        // A new manager knows nobody; that is why it asks all to register again.
        this.subscriptions.clear();
        this.services.clear();
        this.reports.close();
        return;
    }
  }

  /** A port says trap 144 when what it can do, or its node's description, is new. The manager hears of reachable ports only. */
  #compare(port: FabricPort): void {
    const before = this.#known.get(port);
    this.#remember(port);
    if (before === undefined || this.sm.subnet.portByGuid(port.guid) !== port) return;
    const hasNewDescription = before.description !== port.node.description;
    if (!hasNewDescription && before.capabilityMask === port.capabilityMask) return;
    this.#tell(localChangeNotice(port, hasNewDescription), (subscriber) => sharePartition(port, subscriber), true);
  }

  #remember(port: FabricPort): void {
    this.#known.set(port, { capabilityMask: port.capabilityMask, description: port.node.description });
  }

  /** @param endsWithAccess a subscription to named LIDs ends when its subscriber may not hear of them any more (o13-17.1.2) */
  #tell(notice: Notice, mayHear: Access, endsWithAccess: boolean): void {
    for (const subscription of this.subscriptions.all()) {
      if (!wantsNotice(subscription, notice)) continue;
      const subscriber = this.sm.subnet.portByLid(subscription.address.lid);
      if (subscriber === undefined) continue;
      if (mayHear(subscriber)) this.reports.report(subscription, notice);
      else if (endsWithAccess && namesLids(subscription)) this.subscriptions.remove(subscription);
    }
  }
}

function namesLids({ info }: Subscription): boolean {
  return info.lidRangeBegin !== ALL_LIDS;
}
