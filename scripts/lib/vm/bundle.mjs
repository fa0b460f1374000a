// The suites of the machine as one file: under emulation the start of a program costs more than its tests.
import { copyFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { root } from "../paths.mjs";

/** Longest time of one suite, milliseconds. Other work on the host makes the machine up to ten times slower. */
const suiteTimeoutMs = 480_000;

/** One describe for each suite, named by its path, in the order given. Those of packages find jest's globals. */
const entryText = (suites, timeoutMs) =>
  [
    'import { describe } from "node:test";',
    'import "./test/vm/jest-globals.js";',
    ...suites.map((path) => {
      const name = JSON.stringify(path);
      return `describe(${name}, { timeout: ${timeoutMs} }, () => { require(${JSON.stringify(`./${path}`)}); });`;
    }),
  ].join("\n");

const shared = {
  bundle: true,
  platform: "node",
  target: "node20.19",
  format: "cjs",
  conditions: ["@verbena/source"],
  external: ["*.node"],
  tsconfigRaw: { compilerOptions: { experimentalDecorators: true } },
  keepNames: true,
  // Not in the bundle itself, which is read in the machine.
  sourcemap: "external",
  absWorkingDir: root,
  logLevel: "silent",
};

/** What a bundle in the form of an ES module lacks for sources that will be CommonJS. */
const commonJs = [
  'import { createRequire as requireFrom } from "node:module";',
  "const require = requireFrom(import.meta.url);",
  "const { filename: __filename, dirname: __dirname } = import.meta;",
];

/** What is started as processes or threads of their own: the programs, and the folder that stands for `dist`. */
const programs = [
  {
    outbase: ".",
    entryPoints: [
      ...["rc", "uc", "ud", "srq"].map((name) => `examples/verbs-pingpong/${name}.js`),
      ...["receive", "send"].map((name) => `examples/rc-file-transfer/${name}.js`),
    ],
    format: "esm",
    outExtension: { ".js": ".mjs" },
    banner: { js: commonJs.join("\n") },
  },
  { outbase: "test/vm", entryPoints: ["test/vm/rds-echo-entry.ts"] },
  { outbase: "packages/cli/src", entryPoints: ["packages/cli/src/commands/doctor/system/look-entry.ts"] },
  {
    outbase: "packages/native/test",
    entryPoints: ["rdma-lifetime", "rdma-process", "rdma-refusals", "rdma-worker"].map(
      (name) => `packages/native/test/fixtures/${name}.ts`,
    ),
  },
];

/**
 * Bundles `suites` (paths from the root) into `folder`/dist/suites.cjs and returns that path. Rejects with esbuild's account of what is
 * wrong. The bundle lies where a dist of verbena would, whose version is read from the manifest beside it; so do the programs.
 */
export async function bundleSuites(suites, folder, timeoutMs = suiteTimeoutMs) {
  const outfile = join(folder, "dist/suites.cjs");
  mkdirSync(dirname(join(root, outfile)), { recursive: true });
  copyFileSync(join(root, "packages/cli/package.json"), join(root, folder, "package.json"));
  await build({
    ...shared,
    stdin: { contents: entryText(suites, timeoutMs), resolveDir: root, sourcefile: "vm-suites.js", loader: "js" },
    outfile: join(root, outfile),
  });
  for (const program of programs) {
    await build({ ...shared, sourcemap: false, ...program, outdir: join(root, folder, "dist") });
  }
  return outfile;
}
