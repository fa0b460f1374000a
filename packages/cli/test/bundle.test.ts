/** How `bin/verbena.js` chooses and runs what it runs, with a bundle of one line. */
import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packageFolder } from "../src/package-folder.js";

describe("the program", () => {
  let folder: string;
  let dist: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "verbena-bundle-"));
    dist = join(folder, "cli", "dist");
    for (const path of ["cli/bin", "cli/dist", "ib/dist"]) mkdirSync(join(folder, path), { recursive: true });
    for (const file of ["verbena.js", "bundle.js"]) {
      copyFileSync(join(packageFolder(), "bin", file), join(folder, "cli", "bin", file));
    }
    writeFileSync(join(dist, "main.js"), "console.log('files');");
    bundle("0123456789abcdef", "require('node:http'); console.log('bundle')");
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  function bundle(hash: string, code: string): void {
    const text = `(function (exports, require, module, __filename, __dirname) { // ${hash}\n${code}\n})\n`;
    writeFileSync(join(dist, "verbena.bundle.js"), text);
  }

  function run(): string {
    return execFileSync(process.execPath, [join(folder, "cli/bin/verbena.js")], { encoding: "utf8" }).trim();
  }

  function caches(): readonly string[] {
    return readdirSync(dist).filter((file) => file.endsWith(".cache"));
  }

  /** As `tsc -b` leaves it. */
  function compiled(name: string, when: Date): void {
    const file = join(folder, name, "dist", ".tsbuildinfo");
    writeFileSync(file, "{}");
    utimesSync(file, when, when);
  }

  it("runs from its bundle", () => {
    expect(run()).toBe("bundle");
  });

  it("runs from its files where there is no bundle", () => {
    rmSync(join(dist, "verbena.bundle.js"));
    expect(run()).toBe("files");
  });

  it("runs from its files in a clone where a package was compiled after the bundle was made", () => {
    compiled("cli", new Date(0));
    compiled("ib", new Date(0));
    expect(run()).toBe("bundle");
    compiled("ib", new Date(Date.now() + 60_000));
    expect(run()).toBe("files");
  });

  it("keeps compiled code for the next start, of this text and this Node alone", () => {
    run();
    const [first] = caches();
    expect(first).toBe(`verbena.bundle.0123456789abcdef-${process.version}-${process.arch}.cache`);
    expect(run()).toBe("bundle");
    // V8 itself compares only the length of the text.
    bundle("fedcba9876543210", "require('node:http'); console.log('BUNDLE')");
    expect(run()).toBe("BUNDLE");
    expect(caches()).toHaveLength(2);
  });

  it("leaves no file open that it has kept code in: a daemon lives on", () => {
    const links = `fs.readdirSync("/proc/self/fd").flatMap((fd) => { try { return fs.readlinkSync("/proc/self/fd/" + fd); } catch { return []; } })`;
    const late = `const fs = require("fs"); process.on("exit", () => console.log(${links}.filter((file) => file.includes(".cache"))))`;
    bundle("0123456789abcdef", `require("node:http"); ${late}`);
    expect(run()).toBe("[]");
    expect(caches()).toHaveLength(1);
  });

  it("keeps nothing of a run that has asked nobody, has failed, or was a daemon: it has called too little", () => {
    bundle("0123456789abcdef", "console.log('help')");
    run();
    bundle("0123456789abcdef", "require('node:http'); process.exitCode = 3;");
    expect(run).toThrow();
    writeFileSync(join(dist, "serve.bundle.js"), "(function () { // 0000000000000000\n})\n");
    bundle("0123456789abcdef", "require('node:http'); require('./serve.bundle.js');");
    run();
    expect(caches()).toEqual([]);
  });

  it("starts whatever the kept code is, and makes good what is there", () => {
    run();
    const [kept = ""] = caches();
    const damaged = "nothing that was ever compiled";
    writeFileSync(join(dist, kept), damaged);
    expect(run()).toBe("bundle");
    expect(readFileSync(join(dist, kept), "latin1")).not.toBe(damaged);
    expect(caches()).toEqual([kept]);
  });

  it("lets nobody but its owner write what others run, whatever the mask is", () => {
    execFileSync("sh", ["-c", 'umask 0; exec "$@"', "sh", process.execPath, join(folder, "cli/bin/verbena.js")]);
    expect(caches().map((file) => statSync(join(dist, file)).mode & 0o777)).toEqual([0o644]);
  });

  it("gives a bundle the paths of its own folder, and the other bundle", () => {
    writeFileSync(join(dist, "beside.js"), "module.exports = 'beside';");
    const other = `(function (exports, require, module) { // 0000000000000000\nmodule.exports = "other";\n})\n`;
    writeFileSync(join(dist, "serve.bundle.js"), other);
    bundle(
      "0123456789abcdef",
      `console.log(require("./beside.js"), require("./serve.bundle.js"), __dirname === ${JSON.stringify(dist)})`,
    );
    expect(run()).toBe("beside other true");
  });
});
