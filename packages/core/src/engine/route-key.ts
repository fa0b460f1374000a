import type { RouteQuery } from "../sdk/route.js";
import type { LocalEndpoint } from "./local-endpoint.js";

/** A route question without its endpoint. */
export type RouteFields = Omit<RouteQuery, "endpoint">;

/** The same while it is put together: what is not set may also be there as `undefined`. */
export type LooseRouteFields = { readonly [K in keyof RouteFields]: RouteFields[K] | undefined } & {
  readonly sgid: RouteFields["sgid"];
  readonly pkey: RouteFields["pkey"];
  readonly reversible: boolean;
  readonly maxPaths: number;
};

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

/** Leaves out what is `undefined`. */
export function definedFields(fields: LooseRouteFields): RouteFields {
  const defined: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) defined[name] = value;
  return defined as unknown as RouteFields;
}
