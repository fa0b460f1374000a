// The start of the program in two files, made of the packages' sources: packages/cli/dist/verbena.bundle.js, the command line with the
// commands that ask a daemon, and serve.bundle.js, the daemon. A start would otherwise look for, read and compile hundreds of files.
// packages/cli/bin/verbena.js runs them; every other command is loaded from dist. Beside them the licences of what they contain of others.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { root } from "./paths.mjs";

const cli = join(root, "packages/cli");
const dist = join(cli, "dist");
const daemon = join(cli, "src/commands/daemon/serve.ts");

/** What the bundle begins with. `$there`: a folder of another package, where that is installed. `$later`: a module, loaded when it is used. */
const banner = `const $there = (name, folder) => {
  const { join, dirname } = require("node:path");
  for (let at = __dirname; at !== dirname(at); at = dirname(at)) {
    const found = join(at, "node_modules", name);
    if (require("node:fs").existsSync(found)) return join(found, folder);
  }
  return join(dirname(require.resolve(name + "/package.json")), folder);
};
const $later = (id) => new Proxy({}, { get: (_none, member) => require(id)[member] });`;

/** Another package looks for what lies beside its files where it is installed, not where the bundle lies. */
const ownFolder = {
  name: "own-folder",
  setup({ onLoad }) {
    onLoad({ filter: /\/packages\/.*\.ts$/ }, ({ path }) => {
      const [, folder, file] = /\/packages\/([^/]+)\/src\/(.*)$/.exec(path);
      const text = readFileSync(path, "utf8");
      if (folder === "cli" || !text.includes("__dirname")) return undefined;
      const { name } = JSON.parse(readFileSync(join(root, "packages", folder, "package.json"), "utf8"));
      const there = `$there("${name}", "${join("dist", dirname(file))}")`;
      return { contents: text.replaceAll(/\b__dirname\b/g, there), loader: "ts" };
    });
  },
};

/** Modules of Node that take long to load and that a start uses late or never. */
const LATE = /^(\s*(?:var )?\w+ = )require(\("(?:node:)?(?:child_process|crypto|http|readline|worker_threads)"\);)$/gm;

/** What a command loads when it runs is in the bundle only where the start counts. */
const commands = {
  name: "commands",
  setup({ onResolve }) {
    onResolve({ filter: /^[.@]/ }, ({ kind, path, resolveDir }) => {
      if (kind !== "dynamic-import") return undefined;
      // `ib_acme -A` reads the host's addresses by the whole core.
      if (path.startsWith("@")) return resolveDir.endsWith("/acme") ? { path, external: true } : undefined;
      const source = join(resolveDir, path.replace(/\.js$/, ".ts"));
      if (source === daemon) return { path: "./serve.bundle.js", external: true };
      const [, file] = /\/packages\/cli\/src\/(commands\/(?!client\/|sim\/check-node).*)\.ts$/.exec(source) ?? [];
      return file === undefined ? undefined : { path: `./${file}.js`, external: true };
    });
  },
};

/** Gives the bundle's text and the folders of the packages of others that are in it. */
async function bundle(entry) {
  const { outputFiles, metafile } = await build({
    entryPoints: [entry],
    outfile: join(dist, "bundle.js"),
    write: false,
    metafile: true,
    absWorkingDir: root,
    bundle: true,
    platform: "node",
    target: "node20.19",
    format: "cjs",
    conditions: ["@verbena/source"],
    // `require`: what is not in the bundle may be the other one.
    supported: { "dynamic-import": false },
    banner: { js: banner },
    plugins: [ownFolder, commands],
    logLevel: "error",
  });
  const late = outputFiles[0].text.replaceAll(LATE, "$1$$later$2");
  // Comments are not ASCII, and a text that is can be read as it is.
  const code = late.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  // By it a cache of compiled code knows what it was made of.
  const hash = createHash("sha256").update(code).digest("hex").slice(0, 16);
  const text = `(function (exports, require, module, __filename, __dirname) { // ${hash}\n${code}\n})\n`;
  const used = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs));
  return { text, folders: used.flatMap((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []) };
}

function licence(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
  const file = readdirSync(join(root, folder)).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file === undefined ? "" : `\n${readFileSync(join(root, folder, file), "utf8").trim()}\n`;
  return `${name} ${version}: ${license}\n${text}`;
}

/** Programs may be starting meanwhile. */
function replace(name, text) {
  const temporary = join(dist, `${name}.${process.pid}`);
  writeFileSync(temporary, text);
  renameSync(temporary, join(dist, name));
}

const served = await bundle(daemon);
const started = await bundle(join(cli, "src/main.ts"));
const folders = [...new Set([...served.folders, ...started.folders])].sort();
replace("licenses.bundle.txt", folders.map(licence).join("\n----\n\n"));
replace("serve.bundle.js", served.text);
replace("verbena.bundle.js", started.text);
for (const file of readdirSync(dist)) if (file.endsWith(".cache")) rmSync(join(dist, file));
