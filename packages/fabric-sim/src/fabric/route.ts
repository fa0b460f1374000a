import { Lid, PortState } from "@verbena/ib";
import type { DropReason } from "./drop-reason.js";
import { NO_ROUTE } from "./forwarding-tables.js";
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
}

/** Which lane a packet takes: subnet management passes every link that is up, data only those that were brought up. */
export type Lane = "data" | "management";

/** Follows the forwarding tables from `source` to everywhere a packet for `dlid` arrives. */
export function transit(source: FabricPort, dlid: Lid, lane: Lane = "data"): Transit {
  return Lid.isMulticast(dlid) ? multicastTransit(source, dlid, lane) : unicastTransit(source, dlid, lane);
}

/** Adds a packet's way to the counters of the ports it passed; `bytes` from the local route header on. */
export function countTransit(source: FabricPort, { hops, dropped }: Transit, bytes: number): void {
  const words = bytes >>> 2;
  for (const { from, to } of hops) {
    from.counters.xmitPackets += 1;
    from.counters.xmitData += words;
    to.counters.rcvPackets += 1;
    to.counters.rcvData += words;
  }
  if (dropped !== undefined) (hops.at(-1)?.to ?? source).counters.xmitDiscards += 1;
}

/** An active port sends; an armed one only receives (IBA 7.2.7). */
function carries(from: FabricPort, to: FabricPort, lane: Lane): boolean {
  return lane === "management" || (from.state === PortState.ACTIVE && to.state >= PortState.ARMED);
}

function unicastTransit(source: FabricPort, dlid: number, lane: Lane): Transit {
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
    if (!carries(out, next, lane)) return { hops, arrivals: [], dropped: "not-active" };
    hops.push({ from: out, to: next });
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
function multicastTransit(source: FabricPort, mlid: number, lane: Lane): Transit {
  const hops: Hop[] = [];
  const arrivals: FabricPort[] = [];
  const queue: { readonly node: FabricPort["node"]; readonly entry: FabricPort | undefined }[] = [];
  const leave = (out: FabricPort) => {
    const next = out.neighbour;
    if (next === undefined || !carries(out, next, lane)) return;
    hops.push({ from: out, to: next });
    if (next.node.tables === undefined) arrivals.push(next);
    else queue.push({ node: next.node, entry: next });
  };
  if (source.node.tables === undefined) leave(source);
  else queue.push({ node: source.node, entry: source });
  for (let step = queue.shift(); step !== undefined; step = queue.shift()) {
    if (hops.length > MAX_HOPS * 1024) return { hops, arrivals, dropped: "loop" };
    for (const number of step.node.tables?.group(mlid) ?? []) {
      const out = step.node.port(number);
      if (out === undefined || out === step.entry) continue;
      if (number === 0) arrivals.push(out);
      else leave(out);
    }
  }
  return arrivals.length === 0 ? { hops, arrivals, dropped: "no-route" } : { hops, arrivals };
}
