// The published entry points, read from each package's `exports`.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./paths.mjs";

/** All packages: { folder, path, manifest }. */
export function packages() {
  return readdirSync(join(root, "packages"))
    .sort()
    .map((folder) => ({ folder, path: join(root, "packages", folder) }))
    .filter(({ path }) => existsSync(join(path, "package.json")))
    .map((found) => ({ ...found, manifest: JSON.parse(readFileSync(join(found.path, "package.json"), "utf8")) }));
}

/** All entry points: { name: "core-sdk", package, types: absolute path of the .d.ts, source: absolute path of the .ts }. */
export function entryPoints() {
  return packages().flatMap((pkg) =>
    Object.entries(pkg.manifest.exports)
      .filter(([, target]) => typeof target === "object")
      .map(([subpath, target]) => ({
        name: subpath === "." ? pkg.folder : `${pkg.folder}-${subpath.slice(2).replaceAll("/", "-")}`,
        package: pkg,
        types: join(pkg.path, target.types),
        source: join(pkg.path, target["@verbena/source"]),
      })),
  );
}
