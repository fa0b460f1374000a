import { parse } from "yaml";
import { readManifest, readText, workspaces } from "./workspace.js";

const exact = /^\d+\.\d+\.\d+(-[0-9a-z.-]+)?$/;
const { catalog } = parse(readText("pnpm-workspace.yaml")) as { catalog: Readonly<Record<string, string>> };
const folders = [".", ...workspaces()];

describe("dependencies", () => {
  it.each(folders)("of %s are pinned exactly", (folder) => {
    const { dependencies, devDependencies } = readManifest(folder);
    const loose = Object.entries({ ...dependencies, ...devDependencies }).filter(
      ([, version]) => !exact.test(version) && version !== "workspace:*" && version !== "catalog:",
    );
    expect(loose).toEqual([]);
  });

  it.each(folders)("of %s take shared versions from the catalog", (folder) => {
    const { dependencies, devDependencies } = readManifest(folder);
    const beside = Object.entries({ ...dependencies, ...devDependencies }).filter(
      ([name, version]) => name in catalog && version !== "catalog:",
    );
    expect(beside).toEqual([]);
  });

  it("of the catalog are exact", () => {
    expect(Object.entries(catalog).filter(([, version]) => !exact.test(version))).toEqual([]);
  });

  it("include the package manager", () => {
    expect(readManifest(".").packageManager).toMatch(/^pnpm@\d+\.\d+\.\d+$/);
  });
});

describe("packages", () => {
  it.each(workspaces().filter((folder) => folder.startsWith("packages/")))(
    "%s shares the version and the licence",
    (folder) => {
      const { version, license } = readManifest(folder);
      expect({ version, license }).toEqual({ version: readManifest(".").version, license: "MIT" });
    },
  );

  it("that are providers take the core as a peer", () => {
    for (const folder of workspaces().filter((path) => path.includes("provider"))) {
      const { dependencies, peerDependencies } = readManifest(folder);
      expect([folder, dependencies?.["@verbena/core"], peerDependencies?.["@verbena/core"]]).toEqual([
        folder,
        undefined,
        expect.any(String),
      ]);
    }
  });
});
