// Native checks on the release builds: `abi` compares our declarations with rdma-core's headers, no argument runs ctest.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { root } from "./paths.mjs";

const run = (command, args) => spawnSync(command, args, { cwd: root, stdio: "inherit" }).status ?? 1;

function checkAbi() {
  const missing = ["infiniband/verbs.h", "infiniband/umad.h"].filter(
    (header) => !existsSync(join("/usr/include", header)),
  );
  if (missing.length > 0) {
    console.error(`abi: ${missing.join(", ")} not installed; get them with scripts/bootstrap --peers`);
    return 1;
  }
  const folder = "build/abi";
  const configured = run("cmake", ["-S", "packages/native", "-B", folder, "-DCMAKE_BUILD_TYPE=Release"]);
  // The target exists only where the headers were found, so this fails rather than passing over a check that was not made.
  return configured || run("cmake", ["--build", folder, "--target", "abi_check"]);
}

function runTests() {
  const folders = ["packages/native/build", "packages/fabric-sim/build"];
  return folders
    .map((folder) => run("ctest", ["--test-dir", folder, "--output-on-failure", "--no-tests=error"]))
    .reduce((worst, status) => Math.max(worst, status), 0);
}

const [what = "tests"] = process.argv.slice(2);
process.exitCode = what === "abi" ? checkAbi() : runTests();
