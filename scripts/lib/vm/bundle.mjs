// The suites of test/vm as one file: under emulation the start of a program costs more than its tests.
import { join } from "node:path";
import { build } from "esbuild";
import { root } from "../paths.mjs";

/** Longest time of one test, milliseconds. Other work on the host makes the machine several times slower. */
const testTimeoutMs = 120_000;

/** One describe for each suite, named by its path, in the order given. */
const entryText = (suites) =>
  [
    'import { describe } from "node:test";',
    ...suites.map((path) => {
      const name = JSON.stringify(path);
      return `describe(${name}, { timeout: ${testTimeoutMs} }, () => { require(${JSON.stringify(`./${path}`)}); });`;
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
  sourcemap: "inline",
  absWorkingDir: root,
  logLevel: "silent",
};

/** Bundles `suites` (paths from the root) into `outfile`. Rejects with esbuild's account of what is wrong. */
export const bundleSuites = (suites, outfile) =>
  build({
    ...shared,
    stdin: { contents: entryText(suites), resolveDir: root, sourcefile: "vm-suites.js", loader: "js" },
    outfile: join(root, outfile),
  });
