import * as v from "valibot";

/** Milliseconds, at least one. */
const durationMs = v.pipe(v.number(), v.integer(), v.minValue(1));

/** A shorter lease would be more work for the SA than a lookup by everybody. */
const MIN_LEASE_MS = 10_000;
/** A week. */
const MAX_LEASE_MS = 604_800_000;

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
  registry: v.pipe(
    v.optional(v.boolean(), false),
    v.description(
      "true: this host's names and IP addresses are registered as ServiceRecords, and those of other hosts are looked up there",
    ),
  ),
  registryLeaseMs: v.pipe(
    v.optional(v.pipe(durationMs, v.minValue(MIN_LEASE_MS), v.maxValue(MAX_LEASE_MS)), 300_000),
    v.description(
      "how long a registration outlives a daemon that vanishes, milliseconds, at least 10 s; renewed from half of it on",
    ),
  ),
  registryTtlMs: v.pipe(
    v.optional(durationMs, 60_000),
    v.description("how long an address from the registry is used before it is asked for again, milliseconds"),
  ),
});

/** {@link optionsSchema} after validation. */
export type SaProviderOptions = v.InferOutput<typeof optionsSchema>;
