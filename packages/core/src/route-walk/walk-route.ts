import { type Lid, VerbenaError } from "@verbena/ib";
import type { SaService } from "../sdk/services.js";
import { FabricRecords, RefusedRecord, type RouteNode, type WalkContext } from "./fabric-records.js";
import type { RouteHop, RouteWalk } from "./route-walk.js";

/** More switches than any route has (IBA 14.2.1.2 limits a directed route to 63 hops). */
const MAX_HOPS = 64;
/** Forwarding table entry that drops (IBA 14.2.5.13). */
const NO_ROUTE = 255;

/** Where a route begins and ends. */
export interface RouteEnds {
  /** LIDs of the path. */
  readonly slid: Lid;
  readonly dlid: Lid;
  /** Number of the port it leaves by. */
  readonly port: number;
}

/**
 * Follows a path from port to port by LinkRecord, LinearForwardingTableRecord and NodeRecord of the subnet administrator, so that it works
 * on every fabric and needs no access to subnet management. Three Gets for a switch. Never rejects: what stands in the way is the
 * walk's `problem`.
 */
export async function walkRoute(sa: SaService, ends: RouteEnds, context: WalkContext = {}): Promise<RouteWalk> {
  const { slid, dlid } = ends;
  const hops: RouteHop[] = [];
  const problem = await follow(new FabricRecords(sa, context), ends, hops).catch(describe);
  return { slid, dlid, hops, ...(problem === undefined ? {} : { problem }) };
}

/** Adds the hops; gives what stands in the way of further ones. */
async function follow(records: FabricRecords, ends: RouteEnds, hops: RouteHop[]): Promise<string | undefined> {
  const [source, target] = await Promise.all([records.node(ends.slid), records.node(ends.dlid)]);
  if (source === undefined) return unknownLid(ends.slid);
  if (target === undefined) return unknownLid(ends.dlid);
  let node = source;
  let port: number | undefined = node.kind === "switch" ? await records.outPort(node.lid, ends.dlid) : ends.port;
  while (!isSamePort(node, target)) {
    if (port === undefined || port === NO_ROUTE) return `${name(node)} has no route to LID ${ends.dlid}`;
    if (hops.length >= MAX_HOPS) return `no end after ${MAX_HOPS} hops: the forwarding tables lead in a circle`;
    const far = await records.link(node.lid, port);
    if (far === undefined) return `there is no link at ${name(node)} port ${port}`;
    const next = await records.node(far.lid);
    if (next === undefined) return unknownLid(far.lid);
    hops.push({ from: { ...node, port }, to: { ...next, port: far.port } });
    if (next.kind !== "switch") return isSamePort(next, target) ? undefined : `it ends at ${name(next)}`;
    node = next;
    port = await records.outPort(next.lid, ends.dlid);
  }
  return undefined;
}

function isSamePort(a: RouteNode, b: RouteNode): boolean {
  return a.portGuid === b.portGuid;
}

function name({ description, lid }: RouteNode): string {
  return `"${description}" (LID ${lid})`;
}

function unknownLid(lid: Lid): string {
  return `the subnet administrator knows no node with LID ${lid}`;
}

function describe(error: unknown): string {
  if (VerbenaError.is(error)) return `${error.message} [${error.code}]`;
  if (error instanceof RefusedRecord) return error.message;
  throw error;
}
