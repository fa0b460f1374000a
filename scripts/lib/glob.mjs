import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "./paths.mjs";

const skipped = new Set(["node_modules", "dist", "fixtures"]);

function* walk(folder, pattern) {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    if (entry.isDirectory()) {
      if (!skipped.has(entry.name)) yield* walk(join(folder, entry.name), pattern);
    } else if (pattern.test(entry.name)) yield join(folder, entry.name);
  }
}

/** Files under `folder` (one `*` may stand for a whole path segment) whose name matches; paths from the root, sorted. */
export function globSync(folder, pattern) {
  const [before, after] = folder.split("/*/");
  const folders =
    after === undefined
      ? [folder]
      : existsSync(join(root, before))
        ? readdirSync(join(root, before)).map((name) => join(before, name, after))
        : [];
  return folders
    .filter((path) => existsSync(join(root, path)))
    .flatMap((path) => [...walk(path, pattern)])
    .sort();
}
