import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "./package-folder.js";

/** Version of this package, from its manifest. */
export function version(): string {
  const manifest = JSON.parse(readFileSync(join(packageFolder(), "package.json"), "utf8")) as { version: string };
  return manifest.version;
}
