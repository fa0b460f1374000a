import type { RouteWalk } from "@verbena/core";
import { Guid } from "@verbena/ib";
import { runOnNode } from "./sim-programs.js";

/** A route link by link: the port it leaves by, then GUID and port that it enters. */
export type TracedRoute = readonly (readonly [out: number, guid: string, entry: number])[];

/** What Debian's ibtracert prints for two LIDs, asked on a node of our fabric. */
export async function ibtracert(dir: string, node: string, slid: number, dlid: number): Promise<TracedRoute> {
  const { status, stdout, stderr } = await runOnNode(dir, node, "ibtracert", String(slid), String(dlid));
  if (status !== 0) throw new Error(`ibtracert ${slid} ${dlid}: status ${status}\n${stdout}${stderr}`);
  const hops = stdout.matchAll(/^\[(\d+)\] -> (?:switch|ca) port \{(0x[0-9a-f]+)\}\[(\d+)\]/gm);
  return [...hops].map(([, out, guid = "", entry]) => [Number(out), guid, Number(entry)]);
}

/** Our route in the same form. */
export function tracedRoute({ hops }: RouteWalk): TracedRoute {
  return hops.map(({ from, to }) => [from.port, Guid.format(to.portGuid), to.port]);
}
