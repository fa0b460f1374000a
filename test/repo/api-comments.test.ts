import { readFileSync } from "node:fs";
import { join } from "node:path";

test("every public member of the verbs API has a comment", () => {
  const report = readFileSync(join(__dirname, "../../api/native.api.md"), "utf8");
  const missing = /^\/\/ (src\/api\/(?:completions|memory|queue-pair|rdma|verbs)\.ts:.*ae-undocumented.*)$/gm;
  expect([...report.matchAll(missing)].map(([, line]) => line)).toEqual([]);
});
