// Writes or compares the reports of the public API in api/: one per published entry point, made from the built declarations.
// `--local` rewrites the reports; without it a difference is an error that names the report.

import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { entryPoints } from "./entries.mjs";
import { root } from "./paths.mjs";

const { Extractor, ExtractorConfig } = createRequire(import.meta.url)("@microsoft/api-extractor");
const isLocal = process.argv.includes("--local");
const reports = join(root, "api");
const temporary = join(root, "build/api");
mkdirSync(reports, { recursive: true });
mkdirSync(temporary, { recursive: true });

const configFor = ({ name, package: pkg, types }) =>
  ExtractorConfig.prepare({
    configObjectFullPath: join(pkg.path, "api-extractor.json"), // need not exist: relative paths start from it
    packageJsonFullPath: join(pkg.path, "package.json"),
    configObject: {
      projectFolder: pkg.path,
      mainEntryPointFilePath: types,
      newlineKind: "lf",
      compiler: {
        overrideTsconfig: {
          compilerOptions: {
            target: "es2023",
            lib: ["es2023", "esnext.disposable"],
            module: "node20",
            moduleResolution: "node16",
            types: ["node"],
            strict: true,
            skipLibCheck: true,
          },
          files: [types],
        },
      },
      apiReport: { enabled: true, reportFileName: name, reportFolder: reports, reportTempFolder: temporary },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        compilerMessageReporting: { default: { logLevel: "error" } },
        extractorMessageReporting: {
          default: { logLevel: "warning", addToApiReportFile: true },
          "ae-missing-release-tag": { logLevel: "none" },
          // A package with several entry points names types of one in another; typedoc finds those that are nowhere.
          "ae-forgotten-export": { logLevel: "none" },
        },
        tsdocMessageReporting: { default: { logLevel: "none" } }, // typedoc checks the comments
      },
    },
  });

let failures = 0;
const written = new Set();
for (const entry of entryPoints()) {
  written.add(`${entry.name}.api.md`);
  const result = Extractor.invoke(configFor(entry), {
    localBuild: isLocal,
    messageCallback: (message) => {
      if (message.logLevel === "verbose" || message.logLevel === "info") message.handled = true;
      if (message.messageId === "console-compiler-version-notice") message.handled = true;
    },
  });
  const state = result.apiReportChanged
    ? isLocal
      ? "rewritten"
      : "DIFFERS; run `pnpm run api:update`"
    : "as committed";
  console.log(`api/${entry.name}.api.md: ${state}`);
  if (!result.succeeded) failures += 1;
}
for (const stale of readdirSync(reports).filter((file) => file.endsWith(".api.md") && !written.has(file))) {
  if (isLocal) rmSync(join(reports, stale));
  else {
    console.log(`api/${stale}: no entry point of that name any more; run \`pnpm run api:update\``);
    failures += 1;
  }
}
process.exitCode = failures > 0 ? 1 : 0;
