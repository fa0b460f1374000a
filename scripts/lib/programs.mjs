// Runs bench/NAME.* or soak/NAME.*: `pnpm bench` runs all benchmarks in turn, `pnpm soak` lists the soaks.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join, parse } from "node:path";
import { root } from "./paths.mjs";

const [folder, ...args] = process.argv.slice(2);
const runnable = /^(?!_)(?!.*\.(?:d|test)\.)[a-z0-9-]+\.(?:ts|mjs|cjs|js)$/;
const files = existsSync(join(root, folder))
  ? readdirSync(join(root, folder))
      .filter((file) => runnable.test(file))
      .sort()
  : [];
const names = files.map((file) => parse(file).name);

const usage = `usage: pnpm ${folder} [NAME | --all] [--list] [OPTIONS OF THE PROGRAM]

Programs: ${names.join(", ") || "none in this release"}
Without a NAME: ${folder === "bench" ? "all of them, one after the other" : "this text"}.
${folder === "soak" ? "VERBENA_SOAK_SCALE=0.01 runs a hundredth of the volume with the same seed, as the checks do.\n" : ""}`;

function run(file, rest) {
  console.log(`== ${folder} ${parse(file).name}`);
  // TypeScript is transformed on the fly; the packages themselves are loaded as built, so build first.
  const flags = file.endsWith(".ts") ? ["--require", join(root, "scripts/lib/typescript-hook.cjs")] : [];
  const done = spawnSync(process.execPath, [...flags, join(root, folder, file), ...rest], {
    cwd: root,
    stdio: "inherit",
  });
  return done.status ?? 1;
}

const [name, ...rest] = args[0]?.startsWith("-") ? [undefined, ...args] : args;
if (
  rest.includes("--help") ||
  rest.includes("--list") ||
  (name === undefined && folder !== "bench" && !rest.includes("--all"))
) {
  process.stdout.write(usage);
} else if (name === undefined) {
  process.exitCode =
    files
      .map((file) =>
        run(
          file,
          rest.filter((arg) => arg !== "--all"),
        ),
      )
      .find((status) => status !== 0) ?? 0;
} else if (names.includes(name)) {
  process.exitCode = run(files[names.indexOf(name)], rest);
} else {
  process.stderr.write(`${folder}: there is no ${folder}/${name}.*\n${usage}`);
  process.exitCode = 2;
}
