// Runs jest and returns its counts. A jest that does not end after its last test holds something open, which is a failure too.
import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { root } from "./paths.mjs";

const longestRunMs = 20 * 60_000;
const longestExitMs = 30_000;

const ended = (child) => new Promise((resolve) => child.on("exit", (status, signal) => resolve({ status, signal })));

/** Kills `child` when it outlives the run, or its own result by half a minute; returns the reason, if it came to that. */
function watch(child, output) {
  const state = { reason: undefined };
  const started = performance.now();
  let finished;
  const timer = setInterval(() => {
    if (finished === undefined && existsSync(output)) finished = performance.now();
    if (finished !== undefined && performance.now() - finished > longestExitMs) {
      state.reason = `jest did not end within ${longestExitMs / 1000} s of its last test: something is left open`;
    } else if (performance.now() - started > longestRunMs) {
      state.reason = `jest took longer than ${longestRunMs / 60_000} min`;
    }
    if (state.reason) child.kill("SIGKILL");
  }, 1000);
  child.on("exit", () => clearInterval(timer));
  return state;
}

/** { passed, failed, skipped, failedSuites, result, reason? }; `reason` says what went wrong apart from tests. */
export async function runJest(output, args, env = {}) {
  rmSync(output, { force: true });
  const child = spawn(
    process.execPath,
    ["node_modules/jest/bin/jest.js", "--json", `--outputFile=${output}`, ...args],
    {
      cwd: root,
      stdio: ["inherit", "ignore", "inherit"], // --json prints the whole result on stdout
      env: { ...process.env, ...env },
    },
  );
  const watched = watch(child, output);
  const { status, signal } = await ended(child);
  if (!existsSync(output)) {
    const reason = watched.reason ?? `jest ended with ${signal ?? status} and left no result`;
    return { passed: 0, failed: 0, skipped: 0, failedSuites: 0, result: { testResults: [] }, reason };
  }
  const result = JSON.parse(readFileSync(output, "utf8"));
  const failed = result.numFailedTests;
  const failedSuites = result.numFailedTestSuites;
  const isUnexplained = status !== 0 && failed === 0 && failedSuites === 0;
  return {
    passed: result.numPassedTests,
    failed,
    skipped: result.numPendingTests + result.numTodoTests,
    failedSuites,
    result,
    reason: watched.reason ?? (isUnexplained ? `jest ended with ${signal ?? status} after its tests` : undefined),
  };
}
