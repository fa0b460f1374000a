import type { Port, RouteAnswer, RouteProvider, RouteQuery } from "@verbena/core/sdk";
import type { Gid, McMemberRecord } from "@verbena/ib";
import { groupPath } from "./groups/group-path.js";
import { isAcmHint } from "./peers/acm-hint.js";
import type { PeerTable } from "./peers/peer-table.js";

export interface AcmRoutesParts {
  readonly peers: PeerTable;
  readonly own: () => ReadonlyMap<Gid, McMemberRecord>;
  readonly port: () => Port;
}

/**
 * Paths without the SA: what the group is like that both ends are in. Only for peers that were found by the protocol, which is what the hint says, and
 * only for questions that wish for nothing: everything else is the SA's to answer.
 */
export class AcmRoutes implements RouteProvider {
  constructor(private readonly parts: AcmRoutesParts) {}

  resolveRoute(query: RouteQuery): Promise<RouteAnswer | undefined> {
    return Promise.resolve(this.#path(query));
  }

  #path({ dgid, hint, ...wishes }: RouteQuery): RouteAnswer | undefined {
    if (dgid === undefined || !isAcmHint(hint) || hasWishes(wishes)) return undefined;
    const { peers, own, port } = this.parts;
    // What was heard of it last may be newer than what was remembered with the address.
    const { lid, mgid } = peers.get(dgid) ?? hint;
    const group = own().get(mgid);
    return group && { paths: [groupPath(group, port(), { gid: dgid, lid })] };
  }
}

function hasWishes({ serviceId, trafficClass, sl, qosClass }: Omit<RouteQuery, "dgid" | "hint">): boolean {
  return [serviceId, trafficClass, sl, qosClass].some((wish) => wish !== undefined);
}
