import { createRequire } from "node:module";
import { isAbsolute, join, resolve } from "node:path";
import { coreError } from "../errors.js";

/** Where provider packages are found: in a folder, or, by name, among those that the program has at hand. */
export type ProviderPlace = string | Readonly<Record<string, () => Promise<unknown>>>;

/** A module that was found: it has yet to be loaded. */
interface Found {
  readonly path?: string;
  readonly load: () => unknown;
}

/**
 * Loads a provider package by name or path: what the program has at hand, which is of its own version, else from the configuration
 * file's folder, then from each further one (the program's own). Paths begin with `.` or `/` and count from the first folder. ES modules load too (Node 20.19 and newer).
 */
export async function loadProviderModule(specifier: string, places: readonly ProviderPlace[]): Promise<unknown> {
  const { path, load } = locate(specifier, places);
  try {
    return defaultExport(await load());
  } catch (cause) {
    throw coreError("VERBENA_PROVIDER_LOAD", { details: { specifier, reason: String(cause), path }, cause });
  }
}

function locate(specifier: string, places: readonly ProviderPlace[]): Found {
  for (const place of places) {
    const load = typeof place === "string" || !Object.hasOwn(place, specifier) ? undefined : place[specifier];
    if (load !== undefined) return { load };
  }
  const isPath = specifier.startsWith(".") || isAbsolute(specifier);
  const folders = places.filter((place) => typeof place === "string");
  for (const folder of isPath ? folders.slice(0, 1) : folders) {
    const require = createRequire(join(folder, "resolve-from-here.js"));
    try {
      const path = require.resolve(isPath ? resolve(folder, specifier) : specifier);
      return { path, load: () => createRequire(path)(path) as unknown };
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
