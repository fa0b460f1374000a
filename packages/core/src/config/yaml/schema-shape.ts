import type * as v from "valibot";

/** What the walkers (unknown keys, documentation) need to know of a schema; valibot's own objects, seen narrowly. */
export interface SchemaShape {
  readonly type: string;
  readonly wrapped?: SchemaShape;
  readonly default?: unknown;
  readonly entries?: Readonly<Record<string, SchemaShape>>;
  readonly item?: SchemaShape;
  readonly pipe?: readonly { readonly type: string; readonly description?: string }[];
  readonly options?: readonly unknown[];
  readonly message?: unknown;
}

/** Seen through `optional` wrappers: the schema underneath. */
export function unwrap(schema: SchemaShape): SchemaShape {
  return schema.wrapped === undefined ? schema : unwrap(schema.wrapped);
}

/** The narrow view of a valibot schema. */
export function shapeOf(schema: v.GenericSchema): SchemaShape {
  return schema;
}
