import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isText, root, trackedFiles } from "./workspace.js";

// Spelt in parts, or this file would name them too.
const privatePaths = [
  ["/wo", "rk/"].join(""),
  ["../sh", "ared"].join(""),
  ["/tmp/br", "ief"].join(""),
  ["/ho", "me/"].join(""),
];

// A file above 500 lines is two files. Recorded data and lock files are not written by hand.
const written = /^(packages|scripts|test|examples|bench|soak)\/.*\.(ts|mjs|cjs|js|cc|c|h|hh)$/;
const lineLimit = 500;
const longForAReason = new Map([["packages/native/test/cc/abi-check.cc", "one assertion for each field of the ABI"]]);

describe("tracked files", () => {
  it("name no path of anybody's machine", () => {
    const offenders = trackedFiles().flatMap((path) => {
      const bytes = readFileSync(join(root, path));
      if (!isText(bytes)) return [];
      const text = bytes.toString("utf8");
      return privatePaths.filter((needle) => text.includes(needle)).map((needle) => `${path}: ${needle}`);
    });
    expect(offenders).toEqual([]);
  });

  it(`have at most ${lineLimit} lines`, () => {
    const long = trackedFiles()
      .filter((path) => written.test(path))
      .map((path) => [path, readFileSync(join(root, path), "utf8").split("\n").length - 1] as const)
      .filter(([path, lines]) => lines > lineLimit && !longForAReason.has(path));
    expect(long).toEqual([]);
  });

  it("hold nothing that a build makes", () => {
    expect(
      trackedFiles().filter((path) => /(^|\/)(dist|node_modules|build(-[a-z]+)?)\/|\.(node|so|o|tgz)$/.test(path)),
    ).toEqual([]);
  });

  it("are kebab-case in the sources", () => {
    const named = trackedFiles().filter(
      (path) => /^packages\/[^/]+\/src\//.test(path) && /\.(ts|cc|h|hh|c)$/.test(path),
    );
    expect(named.filter((path) => !/^[a-z0-9./-]+$/.test(path))).toEqual([]);
  });
});
