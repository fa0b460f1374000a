// Adds up what every run of jest left under build/ and prints "N passed, N failed" as the last line; no test at all is a failure.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { globSync } from "./glob.mjs";
import { root } from "./paths.mjs";

let passed = 0;
let failed = 0;
for (const path of globSync("build", /^summary\.json$/)) {
  for (const rung of JSON.parse(readFileSync(join(root, path), "utf8"))) {
    passed += rung.passed ?? 0;
    failed += rung.failed ?? (rung.state === "failed" ? 1 : 0);
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
