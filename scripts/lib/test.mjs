import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { root } from "./paths.mjs";
import { rungs } from "./rungs.mjs";

const usage = `usage: scripts/test [--rung NAME]... [--results FOLDER] [JEST OPTIONS]

Runs every rung of tests that this machine can run and names those it cannot:
${rungs.map((rung) => `  ${rung.name.padEnd(10)} ${rung.about}`).join("\n")}

With VERBENA_REQUIRE_RUNGS=1 a rung that cannot run is a failure. Results: build/rungs/NAME.json, unless --results says otherwise.
`;

const isStrict = process.env.VERBENA_REQUIRE_RUNGS === "1";

function parse(args) {
  const wanted = [];
  const jest = [];
  let results = "build/rungs";
  const rest = [...args];
  while (rest.length > 0) {
    const arg = rest.shift();
    if (arg === "--rung") wanted.push(rest.shift());
    else if (arg === "--results") results = rest.shift() ?? results;
    else jest.push(arg);
  }
  const unknown = wanted.find((name) => !rungs.some((rung) => rung.name === name));
  if (wanted.includes(undefined) || unknown !== undefined) {
    console.error(`test: --rung takes one of ${rungs.map((rung) => rung.name).join(", ")}`);
    process.exit(2);
  }
  return {
    wanted: wanted.length > 0 ? rungs.filter((rung) => wanted.includes(rung.name)) : rungs,
    jest,
    results: join(root, results),
  };
}

/** A skipped test is never silent. */
function skippedTests({ testResults }) {
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === "pending" || status === "todo")
      .map(({ fullName }) => `${relative(root, name)}: ${fullName}`),
  );
}

/** Runs one rung; returns { state, text, passed, failed } for the summary. */
async function run(rung, jestOptions, results) {
  const suites = rung.suites();
  if (suites.length === 0) return { state: "none", text: "no suites in this release" };
  const missing = rung.missing();
  if (missing) {
    const text = `SKIPPED: ${missing.reason}; enable with ${missing.enable}`;
    return isStrict ? { state: "failed", text: `${text} (VERBENA_REQUIRE_RUNGS=1)` } : { state: "skipped", text };
  }
  console.log(`\n== rung ${rung.name}: ${rung.about} (${suites.length} suites)`);
  const started = performance.now();
  const { passed, failed, skipped, failedSuites, result, reason } = await rung.run(
    join(results, `${rung.name}.json`),
    jestOptions,
  );
  // With options of jest's own, such as -t, the rest is left out on purpose.
  if (jestOptions.length === 0) for (const name of skippedTests(result)) console.log(`skipped: ${name}`);
  const parts = [`ran ${passed + failed}`, `${passed} passed`];
  if (failed > 0) parts.push(`${failed} failed`);
  if (failedSuites > 0) parts.push(`${failedSuites} suites failed`);
  if (skipped > 0) parts.push(`${skipped} skipped`);
  if (passed + failed === 0) parts.push("no test ran");
  if (reason) parts.push(reason);
  const isGreen = failed === 0 && failedSuites === 0 && passed > 0 && reason === undefined;
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  return {
    state: isGreen ? "passed" : "failed",
    text: `${parts.join(", ")} (${seconds} s)`,
    passed,
    failed: isGreen ? 0 : Math.max(failed, 1),
  };
}

const args = process.argv.slice(2);
if (args.includes("--help") || args.includes("-h")) {
  process.stdout.write(usage);
} else {
  const { wanted, jest, results } = parse(args);
  mkdirSync(results, { recursive: true });
  const summary = [];
  for (const rung of wanted) summary.push({ name: rung.name, ...(await run(rung, jest, results)) });
  writeFileSync(join(results, "summary.json"), JSON.stringify(summary, null, 2));
  console.log("\nRungs");
  for (const { name, text } of summary) console.log(`  ${name.padEnd(10)} ${text}`);
  process.exitCode =
    summary.some((rung) => rung.state === "failed") || !summary.some((rung) => rung.state === "passed") ? 1 : 0;
}
