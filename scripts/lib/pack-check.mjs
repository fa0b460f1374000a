// Packs every package as it would be published and checks what is inside: shape, types, that nothing private is left, and that the program
// starts from its bundles.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { packages } from "./entries.mjs";
import { pnpm, root } from "./paths.mjs";

const out = join(root, "build/pack");
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });

// A provider's default export is its contract; the host reads it from CommonJS as well as from ES modules.
const attw = ["--profile", "node16", "--no-emoji", "--ignore-rules", "cjs-only-exports-default"];
const unwanted = [/\.test\.(ts|js|d\.ts)(\.map)?$/, /tsbuildinfo$/, /\.stamp$/, /\/build\//, /\.cache$/];
const bundles = ["verbena.bundle.js", "serve.bundle.js", "licenses.bundle.txt"].map((file) => `package/dist/${file}`);
let failures = 0;
const fail = (name, text) => {
  console.error(`${name}: ${text}`);
  failures += 1;
};
const tool = (path, args, name) => {
  const done = spawnSync(process.execPath, [join(root, "node_modules", path), ...args], {
    cwd: root,
    encoding: "utf8",
  });
  if (done.status !== 0) fail(name, `${path}\n${done.stdout}${done.stderr}`);
};

for (const { path, manifest } of packages()) {
  const { name } = manifest;
  const packed = JSON.parse(
    execFileSync(pnpm, ["pack", "--json", "--pack-destination", out], { cwd: path, encoding: "utf8" }),
  );
  const tarball = packed.filename;
  const files = execFileSync("tar", ["-tzf", tarball], { encoding: "utf8" }).trim().split("\n");
  for (const file of files.filter((entry) => unwanted.some((pattern) => pattern.test(entry))))
    fail(name, `must not be packed: ${file}`);
  for (const needed of [
    "package/package.json",
    "package/dist/index.js",
    "package/dist/index.d.ts",
    "package/LICENSE",
    ...(name === "verbena" ? bundles : []),
  ]) {
    if (!files.includes(needed)) fail(name, `is not packed: ${needed}`);
  }
  const published = execFileSync("tar", ["-xzOf", tarball, "package/package.json"], { encoding: "utf8" });
  if (/"(workspace|catalog):/.test(published)) fail(name, "package.json still names workspace: or catalog: versions");
  tool("publint/src/cli.js", ["run", tarball, "--strict"], name);
  tool("@arethetypeswrong/cli/dist/index.js", [tarball, ...attw], name);
  const installed = join(out, "node_modules", name);
  mkdirSync(installed, { recursive: true });
  execFileSync("tar", ["-xzf", tarball, "-C", installed, "--strip-components=1"]);
  console.log(`${name}: ${files.length} files`);
}
checkProgram();

/** Packages of others are not there: what does not come from the bundles fails. */
function checkProgram() {
  const program = join(out, "node_modules/verbena/bin/verbena.js");
  const nowhere = join(out, "nowhere");
  for (const [words, code] of [
    [["resolve", "node2", "--socket", nowhere], "VERBENA_CLI_NO_DAEMON"],
    [["serve", "--config", nowhere], "VERBENA_CONFIG_INVALID"],
    // It is looked for in the package of the simulator, as it is installed.
    [["serve", "--fabric", nowhere, "--node", "H1"], "VERBENA_SIM_LIBRARY_MISSING"],
  ]) {
    const { stderr } = spawnSync(process.execPath, [program, ...words], { encoding: "utf8" });
    if (!stderr.includes(`[${code}]`)) fail("verbena", `${words.join(" ")}: not ${code}:\n${stderr}`);
  }
}
process.exitCode = failures > 0 ? 1 : 0;
