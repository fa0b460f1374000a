import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runJest } from "./jest.mjs";
import { root } from "./paths.mjs";

const supp = (name) => join(root, "scripts/lib/sanitizers", name);

// `planted`: what the addon's plantFault(kind) does on purpose, and the words with which the sanitizer must report it.
const modes = {
  address: {
    title: "ASan + UBSan",
    sanitize: "address,undefined",
    suffix: "asan",
    runtimes: ["libasan.so"],
    env: {
      // LeakSanitizer follows what __tls_get_addr gave to threads into memory that glibc has meanwhile released, and crashes: it is not told.
      ASAN_OPTIONS: "detect_leaks=1:abort_on_error=0:intercept_tls_get_addr=0",
      LSAN_OPTIONS: `suppressions=${supp("lsan.supp")}:print_suppressions=0`,
      UBSAN_OPTIONS: "print_stacktrace=1:halt_on_error=1",
    },
    planted: {
      heap: /AddressSanitizer: heap-/,
      leak: /LeakSanitizer: detected memory leaks/,
      undefined: /runtime error:/,
    },
  },
  thread: {
    title: "TSan",
    sanitize: "thread",
    suffix: "tsan",
    runtimes: ["libtsan.so"],
    env: { TSAN_OPTIONS: `suppressions=${supp("tsan.supp")} ignore_noninstrumented_modules=1 halt_on_error=0` },
    planted: { race: /ThreadSanitizer: data race/ },
  },
};

/** The tests that load what is compiled here; the others of these packages have no C++ in them. */
const compiledTests = ["packages/native/", "packages/fabric-sim/test/attach/"];

const usage = `usage: scripts/sanitize [address | thread]...

Builds the addon and libfabricsim.so under each sanitizer, checks that a fault planted on purpose is reported, then runs the
C++ tests, and the jest tests that use the addon or libfabricsim.so, on those builds. More than one run beside each other.
`;

class Failed extends Error {}

function run(command, args, env = {}) {
  const done = spawnSync(command, args, { cwd: root, stdio: "inherit", env: { ...process.env, ...env } });
  if (done.status !== 0)
    throw new Failed(`\`${command} ${args.slice(0, 4).join(" ")}\` ended with ${done.signal ?? done.status}`);
}

/** The runtime must come first in the list of loaded libraries. */
function preload(mode) {
  return mode.runtimes
    .map((name) => spawnSync(process.env.CC ?? "cc", [`-print-file-name=${name}`], { encoding: "utf8" }).stdout.trim())
    .join(":");
}

function compile(mode, source, folder, definitions) {
  const flags = ["-DCMAKE_BUILD_TYPE=Release", `-DVERBENA_SANITIZE=${mode.sanitize}`, ...definitions];
  run("cmake", ["-S", source, "-B", folder, ...flags]);
  run("cmake", ["--build", folder, "--parallel", "2"]);
}

/** A sanitizer that says nothing about a planted fault would say nothing about a real one. */
function checkPlanted(mode, addon, env) {
  for (const [kind, words] of Object.entries(mode.planted)) {
    const program = `require(${JSON.stringify(addon)}).plantFault(${JSON.stringify(kind)})`;
    const done = spawnSync(process.execPath, ["-e", program], { encoding: "utf8", env: { ...process.env, ...env } });
    if (done.status === 0 || !words.test(done.stderr)) {
      throw new Failed(`the planted fault "${kind}" was not reported (status ${done.status}):\n${done.stderr}`);
    }
    console.log(`planted fault "${kind}": reported, as it must be`);
  }
}

async function jest(mode, env) {
  const output = join(root, "build/sanitize", mode.suffix, "jest.json");
  mkdirSync(dirname(output), { recursive: true });
  const args = ["--runInBand", ...compiledTests];
  // A report that comes at exit, after the last test, shows in the status alone: then there is a reason.
  const { passed, failed, failedSuites, reason } = await runJest(output, args, env);
  if (reason) console.error(`sanitize: ${reason}`);
  return { name: mode.title, passed, failed: Math.max(failed, failedSuites, reason ? 1 : 0) };
}

async function check(mode) {
  console.log(`\n== ${mode.title}`);
  const native = join(root, `packages/native/build-${mode.suffix}`);
  const fabric = join(root, `packages/fabric-sim/build-${mode.suffix}`);
  compile(mode, "packages/native", native, ["-DVERBENA_PLANT=ON"]);
  compile(mode, "packages/fabric-sim/src/cc", fabric, []);
  const env = {
    ...mode.env,
    LD_PRELOAD: preload(mode),
    VERBENA_NATIVE_DIR: join(native, "Release"),
    VERBENA_LIBFABRICSIM: join(fabric, "Release/libfabricsim.so"),
    VERBENA_FABRICSIM_DIR: join(fabric, "Release"),
  };
  checkPlanted(mode, join(native, "Release/verbena_native.node"), env);
  for (const folder of [native, fabric])
    run("ctest", ["--test-dir", folder, "--output-on-failure", "--no-tests=error"], mode.env);
  return jest(mode, env);
}

/** Runs one mode here, and leaves what it counted where the closing line looks for it. */
async function one(name) {
  const { title, suffix } = modes[name];
  let result;
  try {
    result = await check(modes[name]);
  } catch (error) {
    if (!(error instanceof Failed)) throw error;
    console.error(`sanitize: ${error.message}`);
    result = { name: title, passed: 0, failed: 1 };
  }
  const folder = join(root, "build/sanitize", suffix);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "summary.json"), JSON.stringify([result], null, 2));
  const { passed, failed } = result;
  console.log(`\n  ${title.padEnd(14)} ${passed} passed, ${failed} failed`);
  return failed === 0 && passed > 0;
}

/** Each mode uses one processor most of the time: they run beside each other, and each one's output is shown whole when it ends. */
function besideEachOther(names) {
  const ends = names.map((name) => {
    const child = spawn(process.execPath, [fileURLToPath(import.meta.url), name], { cwd: root, stdio: "pipe" });
    const output = [];
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => output.push(chunk));
    return new Promise((resolve) => {
      child.on("close", (status) => {
        process.stdout.write(Buffer.concat(output));
        resolve(status === 0);
      });
    });
  });
  return Promise.all(ends);
}

const args = process.argv.slice(2);
if (args.includes("--help") || args.includes("-h") || args.some((arg) => !(arg in modes))) {
  process.stdout.write(usage);
  process.exitCode = args.includes("--help") || args.includes("-h") ? 0 : 2;
} else {
  const names = args.length > 0 ? args : Object.keys(modes);
  const verdicts = names.length === 1 ? [await one(names[0])] : await besideEachOther(names);
  process.exitCode = verdicts.every(Boolean) ? 0 : 1;
}
