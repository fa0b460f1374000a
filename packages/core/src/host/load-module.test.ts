import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

// Loading happens in a child process: jest replaces `require`, and that is the very thing under test.
const built = join(__dirname, "..", "..", "dist", "host", "load-module.js");

describe("loadProviderModule", () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "verbena-load-"));
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  function addPackage(parent: string, name: string, type: "module" | "commonjs", text: string): void {
    const home = join(folder, parent, "node_modules", name);
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, "package.json"), JSON.stringify({ name, version: "1.0.0", type, main: "index.js" }));
    writeFileSync(join(home, "index.js"), text);
  }

  function load(specifier: string, ...folders: string[]): unknown {
    const program = `
      const { loadProviderModule } = require(${JSON.stringify(built)});
      const atHand = { "at-hand": async () => ({ default: "at hand" }) };
      loadProviderModule(process.argv[1], [process.argv[2], atHand, ...process.argv.slice(3)]).then(
        (value) => console.log(JSON.stringify({ value })),
        (error) => console.log(JSON.stringify({ code: error.code, message: error.message, hint: error.hint })),
      );`;
    const paths = folders.map((name) => join(folder, name));
    return JSON.parse(
      execFileSync(process.execPath, ["-e", program, specifier, ...paths], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      }),
    );
  }

  it.each([
    ["CommonJS", "commonjs", "module.exports = 'the provider';"],
    ["transpiled CommonJS", "commonjs", "exports.__esModule = true; exports.default = 'the provider';"],
    ["an ES module", "module", "export default 'the provider';"],
  ] as const)("takes the default export of %s", (_what, type, text) => {
    addPackage("etc", "some-provider", type, text);
    expect(load("some-provider", "etc")).toEqual({ value: "the provider" });
  });

  it("looks from the configuration's folder first, then from the program's", () => {
    addPackage("etc", "both", "commonjs", "module.exports = 'configuration';");
    addPackage("program", "both", "commonjs", "module.exports = 'program';");
    addPackage("program", "only-there", "commonjs", "module.exports = 'program';");
    mkdirSync(join(folder, "etc"), { recursive: true });
    expect(load("both", "etc", "program")).toEqual({ value: "configuration" });
    expect(load("only-there", "etc", "program")).toEqual({ value: "program" });
  });

  it("takes what the program has at hand first: a daemon started anywhere must not run what lies there", () => {
    addPackage("etc", "at-hand", "commonjs", "module.exports = 'configuration';");
    expect(load("at-hand", "etc")).toEqual({ value: "at hand" });
    expect(load("./node_modules/at-hand", "etc")).toEqual({ value: "configuration" });
  });

  it("loads a path relative to the configuration's folder", () => {
    addPackage("etc", "by-path", "commonjs", "module.exports = 'by path';");
    expect(load("./node_modules/by-path", "etc")).toEqual({ value: "by path" });
  });

  it("says what to install when there is no such package", () => {
    mkdirSync(join(folder, "etc"));
    expect(load("nobody-made-this", "etc")).toMatchObject({
      code: "VERBENA_PROVIDER_NOT_FOUND",
      hint: "install it there: npm install nobody-made-this",
    });
  });

  it("keeps the reason when the package throws while loading", () => {
    addPackage("etc", "broken", "commonjs", "throw new Error('no licence');");
    expect(load("broken", "etc")).toMatchObject({
      code: "VERBENA_PROVIDER_LOAD",
      message: expect.stringContaining("no licence") as unknown,
    });
  });
});
