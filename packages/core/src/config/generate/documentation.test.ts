import { readFileSync } from "node:fs";
import { join } from "node:path";
import { configurationTables } from "./documentation.js";

const document = readFileSync(join(__dirname, "../../../../../docs/configuration.md"), "utf8");

function between(name: string): string | undefined {
  return new RegExp(`<!-- ${name} begin -->\n([\\s\\S]*?)\n<!-- ${name} end -->`).exec(document)?.[1];
}

describe("docs/configuration.md", () => {
  it.each(["yaml", "options"] as const)("has the table of %s that the schema gives", (name) => {
    expect(between(name)).toBe(configurationTables()[name]);
  });
});
