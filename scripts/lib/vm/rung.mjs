// Runs the suites of the machine: bundled here, then one boot of the machine and one process of Node for all of them.
import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../paths.mjs";
import { bundleSuites } from "./bundle.mjs";
import { leftOpenStatus } from "./reporter.mjs";
import { parseReport, toJestResult } from "./results.mjs";
import { stackTranslator } from "./stack.mjs";

const longestRunSeconds = 900;
/** What the suites find in their environment: where things are that do not lie beside the bundle, and the devices of those that take any. */
const variables = {
  VERBENA_NATIVE_DIR: join(root, "packages/native/build/Release"),
  VERBENA_LIBFABRICSIM: join(root, "packages/fabric-sim/build/Release/libfabricsim.so"),
  VERBENA_TEST_DEVICE: "rxe0",
  VERBENA_TEST_PEER_DEVICE: "rxe1",
};

/** Splits the options of scripts/test into what this rung knows: -t PATTERN and parts of paths. */
export function parseOptions(args) {
  const options = { names: [], paths: [], ignored: [] };
  const rest = [...args];
  while (rest.length > 0) {
    const arg = rest.shift();
    if (arg === "-t" || arg === "--testNamePattern") options.names.push(rest.shift() ?? "");
    else if (arg.startsWith("-")) options.ignored.push(arg);
    else options.paths.push(arg);
  }
  return options;
}

const programArguments = (bundle, report, names) => [
  ...names.map((name) => `--test-name-pattern=${name}`),
  ...["--test-reporter=spec", "--test-reporter-destination=stdout"],
  ...[`--test-reporter=${join(root, "scripts/lib/vm/reporter.mjs")}`, `--test-reporter-destination=${report}`],
  bundle,
];

function runMachine(program, extra, seconds) {
  const vm = join(root, "scripts/lib/vm/main.mjs");
  const options = ["--hosts", "2", "--timeout", String(seconds)];
  const args = [
    vm,
    ...options,
    ...["NO_COLOR", ...Object.entries({ ...variables, ...extra }).map((pair) => pair.join("="))].flatMap((one) => [
      "--env",
      one,
    ]),
    "--",
    process.execPath,
    ...program,
  ];
  // Jest's progress is on standard error too: standard output is for the summary.
  const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", process.stderr, process.stderr] });
  return new Promise((resolve) => child.on("exit", (status, signal) => resolve(signal ?? status)));
}

const reasonOf = (ended) =>
  ended === leftOpenStatus
    ? "the process of the tests did not end by itself: something is left open"
    : `the machine ended with ${ended} before the last test had`;

/**
 * As runJest of ../jest.mjs: { passed, failed, skipped, failedSuites, result, reason? }, with the result also in the file `output`. `extra`: further
 * variables that the suites find. `folder`: where the bundle is made, relative to the root. `seconds`: the longest time that the machine, and then also a suite and a test of it, may take.
 */
export async function runVmSuites(output, args, suites, { extra = {}, folder = "build/vm", seconds } = {}) {
  const report = join(folder, "report.jsonl");
  const { names, paths, ignored } = parseOptions(args);
  if (ignored.length > 0) console.error(`the vm rung knows -t and paths only; ignored: ${ignored.join(" ")}`);
  const chosen = suites.filter((suite) => paths.length === 0 || paths.some((path) => suite.includes(path)));
  for (const file of [output, join(root, report)]) rmSync(file, { force: true });
  const limits = seconds === undefined ? {} : { VERBENA_VM_TEST_MS: String(1000 * seconds) };
  const bundle = await bundleSuites(chosen, folder, seconds === undefined ? undefined : 1000 * seconds);
  const ended = await runMachine(
    programArguments(bundle, report, names),
    { ...limits, ...extra },
    seconds ?? longestRunSeconds,
  );
  const text = existsSync(join(root, report)) ? readFileSync(join(root, report), "utf8") : "";
  const { tests: reported, isComplete } = parseReport(text);
  const translate = stackTranslator(join(root, bundle), root);
  const tests = reported.map((test) => (test.error === undefined ? test : { ...test, error: translate(test.error) }));
  for (const { suite, name, error } of tests) if (error !== undefined) console.error(`\n✖ ${suite}: ${name}\n${error}`);
  const result = toJestResult(chosen, tests);
  writeFileSync(output, JSON.stringify(result, null, 2));
  // With a pattern, suites without a test are meant.
  const failedSuites = names.length > 0 ? 0 : result.numFailedTestSuites;
  const isUnexplained = ended !== 0 && result.numFailedTests === 0;
  return {
    passed: result.numPassedTests,
    failed: result.numFailedTests,
    skipped: result.numPendingTests,
    failedSuites,
    result,
    reason: !isComplete || isUnexplained ? reasonOf(ended) : undefined,
  };
}
