import type { Port, ResolveContext, RouteAnswer, RouteProvider, RouteQuery } from "@verbena/core/sdk";
import type { Gid, McMemberRecord } from "@verbena/ib";
import { groupPath } from "./groups/group-path.js";
import type { Inquiry } from "./inquiry.js";
import { type AcmHint, isAcmHint } from "./peers/acm-hint.js";
import type { Peer } from "./peers/peer.js";
import type { PeerTable } from "./peers/peer-table.js";

export interface AcmRoutesParts {
  readonly peers: PeerTable;
  readonly own: () => ReadonlyMap<Gid, McMemberRecord>;
  readonly port: () => Port;
  readonly inquiry: Pick<Inquiry, "seek">;
}

/**
 * Paths without the SA: what the group is like that both ends are in. Only for peers that were found by the protocol, which is what the hint says, and
 * only for questions that wish for nothing: everything else is the SA's to answer.
 */
export class AcmRoutes implements RouteProvider {
  constructor(private readonly parts: AcmRoutesParts) {}

  async resolveRoute(
    { dgid, hint, ...wishes }: RouteQuery,
    context: Pick<ResolveContext, "signal" | "deadline" | "source">,
  ): Promise<RouteAnswer | undefined> {
    if (dgid === undefined || !isAcmHint(hint) || hasWishes(wishes)) return undefined;
    const { own, port } = this.parts;
    const peer = await this.#find(dgid, hint, context);
    const group = peer && own().get(peer.mgid);
    return group && { paths: [groupPath(group, port(), { gid: dgid, lid: peer.lid })] };
  }

  /** Nobody tells that a LID has changed: a peer that has not been heard for a while is asked. */
  async #find(
    gid: Gid,
    { peer: found, destination }: AcmHint,
    { signal, deadline, source }: Pick<ResolveContext, "signal" | "deadline" | "source">,
  ): Promise<Peer | undefined> {
    const { peers, inquiry } = this.parts;
    const heard = peers.justHeard(gid);
    if (heard !== undefined) return heard;
    const peer = await inquiry.seek(destination, peers.get(gid) ?? found, {
      signal,
      deadline,
      ...(source === undefined ? {} : { source }),
    });
    return peer?.gid === gid ? peer : undefined;
  }
}

function hasWishes({ serviceId, trafficClass, sl, qosClass }: Omit<RouteQuery, "dgid" | "hint">): boolean {
  return [serviceId, trafficClass, sl, qosClass].some((wish) => wish !== undefined);
}
