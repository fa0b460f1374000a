import type { LocalEndpoint } from "./local-endpoint.js";
import type { LooseRouteFields } from "./route-fields.js";

/**
 * Cache key of a route question under an endpoint: every field that is set, each with its letter; the endpoint's own GID and P_Key go
 * without saying, since they are the same in all its generation. The hint is not a field.
 */
export function routeKey(endpoint: LocalEndpoint, fields: LooseRouteFields): string {
  let key = `${endpoint.prefix}r`;
  if (fields.dlid !== undefined) key += `l${fields.dlid}`;
  if (fields.dgid !== undefined) key += `g${fields.dgid.toString(16)}`;
  if (fields.slid !== undefined) key += `s${fields.slid}`;
  if (fields.sgid !== endpoint.gid) key += `o${fields.sgid.toString(16)}`;
  if (fields.pkey !== endpoint.endpoint.pkey) key += `p${fields.pkey}`;
  if (fields.serviceId !== undefined) key += `i${fields.serviceId.toString(16)}`;
  if (fields.trafficClass !== undefined) key += `t${fields.trafficClass}`;
  if (fields.sl !== undefined) key += `v${fields.sl}`;
  if (fields.qosClass !== undefined) key += `q${fields.qosClass}`;
  if (!fields.reversible) key += "u";
  if (fields.maxPaths !== 1) key += `m${fields.maxPaths}`;
  return key;
}
