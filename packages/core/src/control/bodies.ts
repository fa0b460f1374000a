import * as v from "valibot";

const text = v.pipe(v.string(), v.minLength(1));
const count = (min: number, max: number) => v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max));
/** Longest deadline a client may ask for, milliseconds. */
const MAX_DEADLINE_MS = 600_000;

/** `POST /v1/resolve`. */
export const resolveBody = v.strictObject({
  destination: text,
  format: v.optional(v.picklist(["auto", "name", "ip", "gid", "lid"])),
  source: v.optional(text),
  noDelay: v.optional(v.boolean()),
  deadlineMs: v.optional(count(1, MAX_DEADLINE_MS)),
  maxPaths: v.optional(count(1, 127)),
});

/** `POST /v1/explain`. */
export const explainBody = v.strictObject({
  destination: text,
  format: v.optional(v.picklist(["auto", "name", "ip", "gid", "lid"])),
  source: v.optional(text),
  deadlineMs: v.optional(count(1, MAX_DEADLINE_MS)),
  maxPaths: v.optional(count(1, 127)),
  route: v.optional(v.boolean()),
});

/** `POST /v1/cache/flush`. */
export const flushBody = v.strictObject({ destination: v.optional(text) });

/** Requests without members. */
export const emptyBody = v.strictObject({});

/** `POST /v1/multicast/check`. */
export const groupCheckBody = v.strictObject({
  destination: text,
  source: v.optional(text),
  deadlineMs: v.optional(count(1, MAX_DEADLINE_MS)),
});
