// A build is stale when the hash of everything it is made from differs from the hash written after the last good build.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { root } from "./paths.mjs";

function* filesUnder(path) {
  if (!existsSync(path)) return;
  if (!statSync(path).isDirectory()) {
    yield path;
    return;
  }
  for (const entry of readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name === "node_modules" || /^build(-|$)/.test(entry.name) || entry.name === "dist") continue;
    const full = join(path, entry.name);
    if (entry.isDirectory()) yield* filesUnder(full);
    else if (entry.isFile()) yield full;
  }
}

/** Hash of names and contents of `inputs` (files or folders), and of `salt`. */
export function hashOf(inputs, salt = []) {
  const hash = createHash("sha256").update(JSON.stringify(salt));
  for (const input of inputs) {
    for (const file of filesUnder(input)) hash.update(`\0${relative(root, file)}\0`).update(readFileSync(file));
  }
  return hash.digest("hex");
}

export function isFresh(stamp, hash) {
  return existsSync(stamp) && readFileSync(stamp, "utf8") === hash;
}

/** Removes the stamp while building, so that an interrupted build counts as stale. */
export function build(stamp, hash, work) {
  rmSync(stamp, { force: true });
  work();
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, hash);
}
