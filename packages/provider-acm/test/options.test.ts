import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { optionsSchema } from "../src/options.js";

const documented = readFileSync(join(__dirname, "../../../docs/configuration.md"), "utf8");
const { groups, ...plain } = v.parse(optionsSchema, {});

describe("the options", () => {
  it.each(Object.entries(plain))("%s is documented with its default %s", (name, value) => {
    expect(documented).toMatch(new RegExp(`^\\| \`${name}\` \\| [^|]+ \\| \`${String(value)}\` \\|`, "m"));
  });

  it("groups are documented, with none by default", () => {
    expect(groups).toEqual([]);
    expect(documented).toMatch(/^\| `groups` \| [^|]+ \| none \|/m);
  });

  it.each([
    [{ minRateGbps: 11 }],
    [{ minMtuBytes: 1500 }],
    [{ resolveDepth: 0 }],
    [{ recvDepth: 16_385 }],
    [{ timeoutMs: 0 }],
    [{ groups: [{ rateGbps: 40 }] }],
    [{ groups: [{ rateGbps: 40, mtuBytes: 2048, sl: 16 }] }],
    [{ groups: [{ rateGbps: 40, mtuBytes: 2048, serviceLevel: 1 }] }],
    [{ anounce: true }],
  ])("%j is refused", (options) => {
    expect(v.safeParse(optionsSchema, options).success).toBe(false);
  });

  it("takes 2 for 2.5 Gb/s, as ibacm's files do, and the rates of newer links", () => {
    for (const minRateGbps of [2, 2.5, 28, 50, 400, 1200]) {
      expect(v.parse(optionsSchema, { minRateGbps })).toMatchObject({ minRateGbps });
    }
  });
});
