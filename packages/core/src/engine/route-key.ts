import type { RouteQuery } from "../sdk/route.js";

/** Cache key of a route question under an endpoint: every field that is set, each with its letter. The hint is not one. */
export function routeKey(prefix: string, query: Omit<RouteQuery, "endpoint">): string {
  let key = `${prefix}r${query.sgid.toString(16)}`;
  if (query.dgid !== undefined) key += `g${query.dgid.toString(16)}`;
  if (query.dlid !== undefined) key += `l${query.dlid}`;
  if (query.slid !== undefined) key += `s${query.slid}`;
  key += `p${query.pkey}`;
  if (query.serviceId !== undefined) key += `i${query.serviceId.toString(16)}`;
  if (query.trafficClass !== undefined) key += `t${query.trafficClass}`;
  if (query.sl !== undefined) key += `v${query.sl}`;
  if (query.qosClass !== undefined) key += `q${query.qosClass}`;
  if (!query.reversible) key += "u";
  if (query.maxPaths !== 1) key += `m${query.maxPaths}`;
  return key;
}
