// Runs the program from its bundles with the code that V8 has compiled before. Plain JavaScript: it is what is loaded first.
const {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} = require("node:fs");
const { createRequire } = require("node:module");
const { join } = require("node:path");
const { Script } = require("node:vm");

const dist = join(__dirname, "..", "dist");
const START = "./verbena.bundle.js";
/** A daemon that lives so long has started. */
const STARTED_MS = 3000;
let isDaemon = false;

/** Runs the program; `false` where there is no bundle, or a part of the program has been compiled anew since (a clone). */
function runBundle() {
  const time = timeOf(join(dist, START));
  if (time === undefined || compilations().some((compiled) => compiled > time)) return false;
  load(START);
  return true;
}

/** When the packages of a clone were compiled; an installed package does not tell. */
function compilations() {
  const info = ".tsbuildinfo";
  if (timeOf(join(dist, info)) === undefined) return [];
  const packages = join(dist, "..", "..");
  return readdirSync(packages).map((name) => timeOf(join(packages, name, "dist", info)) ?? 0);
}

function timeOf(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}

function load(name) {
  if (name !== START) isDaemon = true;
  const path = join(dist, name);
  // It is all ASCII, and read fastest so.
  const source = readFileSync(path, "latin1");
  // V8 refuses what another version of it has compiled, but of the text it compares only the length.
  const [hash] = /[0-9a-f]{16}/.exec(source.slice(0, 100));
  const cache = `${path.slice(0, -".js".length)}.${hash}-${process.version}-${process.arch}.cache`;
  const cachedData = read(cache);
  const script = new Script(source, { filename: path, cachedData });
  if (cachedData === undefined || script.cachedDataRejected) {
    // Only what has been called is compiled: a run that has failed, or was asked for help, would leave too little.
    if (name === START) process.once("exit", (status) => status === 0 && hasAsked() && keepCode(script, cache));
    else setTimeout(keepCode, STARTED_MS, script, cache).unref();
  }
  const own = createRequire(path);
  const require = (id) => (id.endsWith(".bundle.js") ? load(id) : own(id));
  require.resolve = own.resolve;
  const module = { exports: {} };
  script.runInThisContext()(module.exports, require, module, path, dist);
  return module.exports;
}

function read(path) {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

/** Whether a daemon's control socket was asked: the bundle loads what that takes when it does. A daemon answers there itself. */
function hasAsked() {
  return process.moduleLoadList?.includes("NativeModule http") && !isDaemon;
}

/** For the next start, if this folder can be written. */
function keepCode(script, path) {
  const temporary = path.replace(/cache$/, `${process.pid}.cache`);
  try {
    accessSync(dist, constants.W_OK);
    // Others run this code, too: only who installed it may change it, and half of it must never be there under its name.
    const file = openSync(temporary, "wx", 0o644);
    try {
      writeFileSync(file, script.createCachedData());
      fchmodSync(file, 0o644);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch {
    rmSync(temporary, { force: true });
  }
}

module.exports = { runBundle };
