import { existsSync, readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { aptCommand, ensurePackages, peerPackages, vmPackages } from "./debian.mjs";
import { pnpm, root, tools, which } from "./paths.mjs";
import { line, quiet, StepFailed, step } from "./report.mjs";
import { build, hashOf, isFresh } from "./stamp.mjs";
import { cacheFolder, isKernelReady, prepareKernel } from "./vm/cache.mjs";
import { VmFailed } from "./vm/failure.mjs";

const usage = `usage: scripts/bootstrap [--peers] [--vm]

Sets up this clone; a second run does only what changed. Touches nothing outside the clone (and pnpm's store)
unless asked to:
  --peers   also install the Debian packages with the programs the peer tests talk to
  --vm      also install the Debian packages of the virtual machine rung, and keep a kernel for it in ~/.cache/verbena-vm
  --help    show this text

Packages are installed only when root, and only those missing; otherwise the one command to run is printed
and the exit status is 1.
`;

const { engines, packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

function checkNode() {
  const want = engines.node.replace(">=", "").split(".").map(Number);
  const have = process.versions.node.split(".").map(Number);
  const isOld = have[0] < want[0] || (have[0] === want[0] && have[1] < want[1]);
  if (isOld) throw new StepFailed(`Node.js ${engines.node} is needed, this is ${process.version}`);
  line("node", process.version);
}

function checkCompilers() {
  const missing = [];
  if (!which(process.env.CC ?? "cc") && !which("gcc")) missing.push("gcc");
  if (!which(process.env.CXX ?? "c++") && !which("g++")) missing.push("g++");
  if (!which("cmake")) missing.push("cmake");
  if (!which("ninja") && !which("make")) missing.push("make");
  if (missing.length > 0) {
    throw new StepFailed(`a compiler tool is missing (${missing.join(", ")}); on Debian:\n  ${aptCommand(missing)}`);
  }
  line("compilers", [process.env.CXX ?? "c++", "cmake", which("ninja") ? "ninja" : "make"].join(", "));
}

function ensurePnpm() {
  const version = packageManager.split("@")[1];
  const installed = join(tools, "lib/node_modules/pnpm/package.json");
  if (existsSync(pnpm) && existsSync(installed) && JSON.parse(readFileSync(installed, "utf8")).version === version) {
    return line("pnpm", `${version} is in .tools`);
  }
  step("pnpm", `installed ${version} into .tools`, () => {
    const flags = ["--no-audit", "--no-fund", "--loglevel=error"];
    quiet("npm", ["install", "--global", "--prefix", tools, ...flags, packageManager], { cwd: root });
  });
}

function installDependencies() {
  step("dependencies", "as the lock says", () => {
    const hint = "If a package.json was edited on purpose, run `.tools/bin/pnpm install` once to renew the lock.";
    // CI=true: never ask a question, never rewrite the lock.
    quiet(pnpm, ["install", "--frozen-lockfile"], { cwd: root, env: { CI: "true" }, hint });
  });
}

// The simulator is compiled against the addon's ABI header.
const nativeInputs = ["CMakeLists.txt", "package.json", "include", "src/cc", "test/cc"].map(
  (path) => `packages/native/${path}`,
);
const fabricInputs = [
  "packages/fabric-sim/package.json",
  "packages/fabric-sim/src/cc",
  "packages/fabric-sim/test/cc",
  "packages/native/include",
];

// Ninja uses all processors by itself, make only if told.
const buildJobs = process.env.CMAKE_BUILD_PARALLEL_LEVEL ?? String(availableParallelism());

function buildNative(name, inputs, output) {
  const folder = join(root, "packages", name);
  const stamp = join(folder, "build/bootstrap.stamp");
  const compiler = quiet(process.env.CXX ?? "c++", ["--version"]).split("\n")[0];
  const hash = hashOf(
    inputs.map((input) => join(root, input)),
    [compiler, process.arch, folder],
  );
  if (isFresh(stamp, hash) && output(folder)) return line(`build ${name}`, "up to date");
  step(`build ${name}`, "compiled", () => {
    const env = { CI: "true", CMAKE_BUILD_PARALLEL_LEVEL: buildJobs };
    build(stamp, hash, () => quiet(pnpm, ["--dir", folder, "run", "build:native"], { env }));
    if (!output(folder))
      throw new StepFailed(`the build of ${name} ended well but left no library in its build/Release`);
  });
}

const hasFile = (pattern) => (folder) =>
  existsSync(join(folder, "build/Release")) &&
  readdirSync(join(folder, "build/Release")).some((file) => pattern.test(file));

function compileTypeScript() {
  step("typescript", "compiled", () => {
    quiet(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-b"], { cwd: root });
    quiet(process.execPath, [join(root, "scripts/lib/bundle.mjs")]);
  });
}

/** Returns true when the virtual machine can be started afterwards. */
function prepareVm() {
  if (!ensurePackages("vm", vmPackages)) return false;
  try {
    if (isKernelReady()) line("vm kernel", `${prepareKernel().name} is in ${cacheFolder()}`);
    else step("vm kernel", `fetched into ${cacheFolder()}`, prepareKernel);
    return true;
  } catch (error) {
    if (!(error instanceof VmFailed)) throw error;
    throw new StepFailed(`${error.code}: ${error.message}`);
  }
}

function main(args) {
  if (args.includes("--help") || args.includes("-h")) return process.stdout.write(usage);
  const unknown = args.find((arg) => !["--peers", "--vm"].includes(arg));
  if (unknown) {
    process.stderr.write(`bootstrap: unknown option ${unknown}\n${usage}`);
    process.exitCode = 2;
    return;
  }
  let isComplete = true;
  checkNode();
  checkCompilers();
  if (args.includes("--peers")) isComplete = ensurePackages("peers", peerPackages) && isComplete;
  if (args.includes("--vm")) isComplete = prepareVm() && isComplete;
  ensurePnpm();
  installDependencies();
  buildNative("native", nativeInputs, hasFile(/\.node$/));
  buildNative("fabric-sim", fabricInputs, hasFile(/^libfabricsim\.so$/));
  compileTypeScript();
  if (!isComplete) process.exitCode = 1;
}

try {
  main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof StepFailed)) throw error;
  console.error(`bootstrap: ${error.message}`);
  process.exitCode = 1;
}
