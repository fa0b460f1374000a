import * as v from "valibot";

/** Milliseconds, at least one. */
const durationMs = v.pipe(v.number(), v.integer(), v.minValue(1));

/** Options of the provider, the section `options` of its entry in `verbena.yaml`. */
export const optionsSchema = v.strictObject({
  prefetch: v.pipe(
    v.optional(v.picklist(["none", "port"]), "none"),
    v.description(
      "`port`: one table query for all paths from a port instead of one query per destination; `none`: one query per destination",
    ),
  ),
  prefetchTtlMs: v.pipe(
    v.optional(durationMs, 600_000),
    v.description("how long a prefetched table is used before it is asked for again, milliseconds"),
  ),
  nodeTableTtlMs: v.pipe(
    v.optional(durationMs, 60_000),
    v.description("how long the table of host names is used before it is asked for again, milliseconds"),
  ),
});

/** {@link optionsSchema} after validation. */
export type SaProviderOptions = v.InferOutput<typeof optionsSchema>;
