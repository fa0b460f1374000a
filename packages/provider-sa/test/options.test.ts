import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { optionsSchema } from "../src/options.js";

const documented = readFileSync(join(__dirname, "../../../docs/configuration.md"), "utf8");

describe("the options", () => {
  it.each(Object.entries(v.parse(optionsSchema, {})))("%s is documented with its default %s", (name, value) => {
    expect(documented).toMatch(new RegExp(`^\\| \`${name}\` \\| [^|]+ \\| \`${String(value)}\` \\|`, "m"));
  });

  it.each([
    [{ registryLeaseMs: 9_999 }],
    [{ registryLeaseMs: 604_800_001 }],
    [{ registryTtlMs: 0 }],
    [{ registry: "yes" }],
    [{ regsitry: true }],
  ])("%j is refused", (options) => {
    expect(v.safeParse(optionsSchema, options).success).toBe(false);
  });

  it("takes the shortest and the longest lease", () => {
    for (const registryLeaseMs of [10_000, 604_800_000]) {
      expect(v.parse(optionsSchema, { registryLeaseMs })).toMatchObject({ registryLeaseMs });
    }
  });
});
