import { createRequire } from "node:module";
import { isAbsolute, join, resolve } from "node:path";
import { coreError } from "../errors.js";

/**
 * Loads a provider package by name or path: first from the configuration file's folder, then from each further folder (the
 * program's own). Paths begin with `.` or `/` and count from the first folder. ES modules load too (Node 20.19 and newer).
 */
export function loadProviderModule(specifier: string, folders: readonly string[]): unknown {
  const path = locate(specifier, folders);
  try {
    return defaultExport(createRequire(path)(path));
  } catch (cause) {
    throw coreError("VERBENA_PROVIDER_LOAD", { details: { specifier, reason: String(cause), path }, cause });
  }
}

function locate(specifier: string, folders: readonly string[]): string {
  const isPath = specifier.startsWith(".") || isAbsolute(specifier);
  for (const folder of isPath ? folders.slice(0, 1) : folders) {
    const require = createRequire(join(folder, "resolve-from-here.js"));
    try {
      return require.resolve(isPath ? resolve(folder, specifier) : specifier);
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === "MODULE_NOT_FOUND") continue;
      throw coreError("VERBENA_PROVIDER_LOAD", { details: { specifier, reason: String(cause) }, cause });
    }
  }
  throw coreError("VERBENA_PROVIDER_NOT_FOUND", {
    details: { specifier, folders: folders.join(" or ") },
    hint: isPath
      ? "give the path of the package's folder or main file, relative to the configuration file"
      : `install it there: npm install ${specifier}`,
  });
}

/** Both `module.exports = …` and the `default` of an ES module or of a transpiled one. */
function defaultExport(loaded: unknown): unknown {
  let value = loaded;
  for (let depth = 0; depth < 2; depth += 1) {
    if (typeof value !== "object" || value === null || !("default" in value)) break;
    value = value.default;
  }
  return value;
}
