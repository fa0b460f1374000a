import type { RouteQuery } from "../sdk/route.js";

/** A route question without its endpoint. */
export type RouteFields = Omit<RouteQuery, "endpoint">;

/** The same while it is put together: what is not set may also be there as `undefined`. */
export type LooseRouteFields = { readonly [K in keyof RouteFields]: RouteFields[K] | undefined } & {
  readonly sgid: RouteFields["sgid"];
  readonly pkey: RouteFields["pkey"];
  readonly reversible: boolean;
  readonly maxPaths: number;
};

/** Leaves out what is `undefined`. */
export function definedFields(fields: LooseRouteFields): RouteFields {
  const defined: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) defined[name] = value;
  return defined as unknown as RouteFields;
}
