import { readFileSync } from "node:fs";
import { Gid, Lid, Mtu, Rate } from "@verbena/ib";
import * as v from "valibot";

/**
 * Text or a number that a parser of the field's value types accepts, turned into that value.
 * @template I, O
 * @param {v.GenericSchema<I>} input
 * @param {(value: I) => O | undefined} parse
 */
const parsed = (input, parse) =>
  v.pipe(
    input,
    v.rawTransform(({ dataset, addIssue, NEVER }) => {
      const value = parse(dataset.value);
      if (value !== undefined) return value;
      addIssue({ message: `${JSON.stringify(dataset.value)} is not valid here` });
      return NEVER;
    }),
  );

/** @param {number} number */
function unicastLid(number) {
  const lid = Lid.tryParse(String(number));
  return lid !== undefined && Lid.isUnicast(lid) ? lid : undefined;
}

const gid = parsed(v.string(), Gid.tryParse);

const schema = v.strictObject({
  /** Host name or IP address -> GID. */
  addresses: v.record(v.string(), gid),
  /** One path per destination GID, as seen from this host. */
  paths: v.array(
    v.strictObject({
      dgid: gid,
      dlid: parsed(v.number(), unicastLid),
      sl: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(15)), 0),
      mtu: v.optional(parsed(v.number(), Mtu.fromBytes), 2048),
      rateGbps: v.optional(parsed(v.number(), Rate.fromGbps), 10),
    }),
  ),
});

/**
 * Reads and checks the file. Names are compared without case, so their keys are lower case here.
 *
 * @param {string} path
 */
export function readStaticFile(path) {
  const result = v.safeParse(schema, JSON.parse(readFileSync(path, "utf8")));
  if (!result.success) {
    const issues = result.issues.map((issue) => `${v.getDotPath(issue) ?? "file"}: ${issue.message}`);
    throw new Error(`${path}: ${issues.join("; ")}`);
  }
  const { addresses, paths } = result.output;
  return {
    addresses: new Map(Object.entries(addresses).map(([name, value]) => [name.toLowerCase(), value])),
    byGid: new Map(paths.map((path) => [path.dgid, path])),
    byLid: new Map(paths.map((path) => [path.dlid, path])),
  };
}
