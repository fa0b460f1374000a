import { Lid, type PKey, PortState } from "@verbena/ib";
import type { DropReason } from "./drop-reason.js";
import { NO_ROUTE } from "./forwarding-tables.js";
import { filteredAt } from "./partition-filter.js";
import type { FabricPort } from "./port.js";

/** More hops than any sane fabric has; a packet that takes more is in a loop. */
export const MAX_HOPS = 64;

/** One step of a packet: out of one port and into the one at the other end of the cable. */
export interface Hop {
  readonly from: FabricPort;
  readonly to: FabricPort;
}

/** Where a packet went, and where it arrived. No arrival: it was dropped, for the reason given. */
export interface Transit {
  readonly hops: readonly Hop[];
  readonly arrivals: readonly FabricPort[];
  readonly dropped?: DropReason;
  /** Hops that a switch port did not let the packet take; an inbound filter is behind the link, and the hop is among `hops`. */
  readonly filtered?: readonly Hop[];
  /** Ports where a branch of a multicast packet ended without arriving. */
  readonly endedBranches?: readonly EndedBranch[];
}

/** A branch of a multicast packet that was dropped at a port. */
export interface EndedBranch {
  readonly port: FabricPort;
  readonly reason: DropReason;
}

/** Which lane a packet takes: subnet management passes every link that is up, data only those that were brought up. */
export type Lane = "data" | "management";

/**
 * Follows the forwarding tables from `source` to everywhere a packet for `dlid` arrives. Without a P_Key, or as subnet management,
 * it passes every partition filter.
 */
export function transit(source: FabricPort, dlid: Lid, lane: Lane = "data", pkey?: PKey): Transit {
  const traffic = { lane, pkey: lane === "management" ? undefined : pkey };
  return Lid.isMulticast(dlid) ? multicastTransit(source, dlid, traffic) : unicastTransit(source, dlid, traffic);
}

interface Traffic {
  readonly lane: Lane;
  readonly pkey: PKey | undefined;
}

/** Adds a packet's way to the counters of the ports it passed; `bytes` from the local route header on. */
export function countTransit(
  source: FabricPort,
  { hops, dropped, filtered = [], endedBranches = [] }: Transit,
  bytes: number,
): void {
  const words = bytes >>> 2;
  for (const { from, to } of hops) {
    from.counters.xmitPackets += 1;
    from.counters.xmitData += words;
    to.counters.rcvPackets += 1;
    to.counters.rcvData += words;
  }
  for (const hop of filtered) {
    if (hops.includes(hop)) hop.to.counters.rcvConstraintErrors += 1;
    else hop.from.counters.xmitConstraintErrors += 1;
  }
  for (const { port, reason } of endedBranches) if (reason !== "pkey") port.counters.xmitDiscards += 1;
  if (dropped !== undefined && dropped !== "pkey" && endedBranches.length === 0)
    (hops.at(-1)?.to ?? source).counters.xmitDiscards += 1;
}

/** An active port sends; an armed one only receives (IBA 7.2.7). */
function carries({ from, to }: Hop, lane: Lane): boolean {
  return lane === "management" || (from.state === PortState.ACTIVE && to.state >= PortState.ARMED);
}

function unicastTransit(source: FabricPort, dlid: number, { lane, pkey }: Traffic): Transit {
  const hops: Hop[] = [];
  let at = source;
  if (at.hasLid(dlid)) return { hops, arrivals: [at] };
  let out: FabricPort | undefined = source;
  if (source.node.tables !== undefined) {
    const number = source.node.tables.route(dlid);
    if (number === NO_ROUTE) return { hops, arrivals: [], dropped: "no-route" };
    out = source.node.port(number);
  }
  while (hops.length < MAX_HOPS) {
    const next: FabricPort | undefined = out?.neighbour;
    if (out === undefined || next === undefined) return { hops, arrivals: [], dropped: "link-down" };
    const hop: Hop = { from: out, to: next };
    if (!carries(hop, lane)) return { hops, arrivals: [], dropped: "not-active" };
    const filter = pkey === undefined ? undefined : filteredAt(hop, pkey);
    if (filter !== "outbound") hops.push(hop);
    if (filter !== undefined) return { hops, arrivals: [], dropped: "pkey", filtered: [hop] };
    at = next;
    const { tables } = at.node;
    if (tables === undefined) {
      return at.hasLid(dlid) ? { hops, arrivals: [at] } : { hops, arrivals: [], dropped: "wrong-port" };
    }
    const number = tables.route(dlid);
    if (number === NO_ROUTE) return { hops, arrivals: [], dropped: "no-route" };
    const exit = at.node.port(number);
    if (number === 0 && exit !== undefined) return { hops, arrivals: [exit] };
    out = exit;
  }
  return { hops, arrivals: [], dropped: "loop" };
}

/** A switch sends a multicast packet out of every port of the group but the one it came in by. */
function multicastTransit(source: FabricPort, mlid: number, { lane, pkey }: Traffic): Transit {
  const hops: Hop[] = [];
  const arrivals: FabricPort[] = [];
  const filtered: Hop[] = [];
  const endedBranches: EndedBranch[] = [];
  const queue: { readonly node: FabricPort["node"]; readonly entry: FabricPort | undefined }[] = [];
  const leave = (out: FabricPort) => {
    const next = out.neighbour;
    if (next === undefined || !carries({ from: out, to: next }, lane)) {
      endedBranches.push({ port: out, reason: next === undefined ? "link-down" : "not-active" });
      return;
    }
    const hop: Hop = { from: out, to: next };
    const filter = pkey === undefined ? undefined : filteredAt(hop, pkey);
    if (filter !== "outbound") hops.push(hop);
    if (filter !== undefined) {
      filtered.push(hop);
      endedBranches.push({ port: filter === "outbound" ? out : next, reason: "pkey" });
      return;
    }
    if (next.node.tables === undefined) arrivals.push(next);
    else queue.push({ node: next.node, entry: next });
  };
  if (source.node.tables === undefined) leave(source);
  else queue.push({ node: source.node, entry: source });
  for (let step = queue.shift(); step !== undefined; step = queue.shift()) {
    if (hops.length > MAX_HOPS * 1024) return { hops, arrivals, dropped: "loop", endedBranches };
    for (const number of step.node.tables?.group(mlid) ?? []) {
      const out = step.node.port(number);
      if (out === undefined || out === step.entry) continue;
      if (number === 0) arrivals.push(out);
      else leave(out);
    }
  }
  if (arrivals.length > 0) return { hops, arrivals, filtered, endedBranches };
  const dropped = filtered.length > 0 ? "pkey" : (endedBranches[0]?.reason ?? "no-route");
  return { hops, arrivals, dropped, filtered, endedBranches };
}
