import { accessSync, constants, existsSync, statSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Root folder of the clone. */
export const root = join(dirname(fileURLToPath(import.meta.url)), "../..");

export const tools = join(root, ".tools");
export const pnpm = join(tools, "bin/pnpm");

/** Debian keeps opensm and friends where the PATH of a plain user does not look. */
const systemFolders = ["/usr/local/sbin", "/usr/sbin", "/sbin"];

/** Full path of a program, or undefined. */
export function which(program) {
  for (const folder of [...(process.env.PATH ?? "").split(delimiter), ...systemFolders]) {
    const path = join(folder, program);
    try {
      accessSync(path, constants.X_OK);
      if (statSync(path).isFile()) return path;
    } catch {
      // not here
    }
  }
  return undefined;
}

export const exists = (...parts) => existsSync(join(root, ...parts));
