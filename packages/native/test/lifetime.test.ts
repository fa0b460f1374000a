import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { bindingPath } from "../src/load-binding.js";
import { stubLibrary } from "./support.js";

const program = join(__dirname, "fixtures/lifetime.cjs");

// Each in a process of its own; a crash shows as a signal, a handle that keeps the process alive as a time-out.
test.each([
  "exit",
  "close",
  "workers",
  "workerExit",
  "gc",
  "gcWhileReading",
  "closeInCallback",
  "throwInCallback",
  "misuse",
])(
  "scenario %s of test/fixtures/lifetime.cjs",
  (scenario) => {
    const args = ["--expose-gc", program, bindingPath(), stubLibrary, scenario];
    // process.exit() leaves V8's own memory as it is, and a leak check would report that; everything else is checked.
    const leaks = scenario === "exit" ? { ASAN_OPTIONS: `${process.env["ASAN_OPTIONS"] ?? ""}:detect_leaks=0` } : {};
    const env = { ...process.env, ...leaks };
    const done = spawnSync(process.execPath, args, { encoding: "utf8", timeout: 60_000, env });
    expect({ status: done.status, signal: done.signal, stderr: done.stderr }).toEqual({
      status: 0,
      signal: null,
      stderr: "",
    });
  },
  90_000,
);
