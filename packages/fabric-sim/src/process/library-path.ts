import { existsSync } from "node:fs";
import { join } from "node:path";
import { simError } from "../errors.js";

/**
 * Absolute path of `libfabricsim.so`, for `LD_PRELOAD` and for loaders: what `VERBENA_LIBFABRICSIM` names and nothing else if that
 * is set (a sanitizer build, for example), else the package's own build.
 *
 * @throws VerbenaError `VERBENA_SIM_LIBRARY_MISSING` if it has not been built
 */
export function libfabricsimPath(): string {
  const named = process.env["VERBENA_LIBFABRICSIM"];
  // Two levels up from src/process as well as from dist/process.
  const own = join(__dirname, "..", "..", "build", "Release", "libfabricsim.so");
  const path = named === undefined || named === "" ? own : named;
  if (!existsSync(path)) throw simError("VERBENA_SIM_LIBRARY_MISSING", { details: { path } });
  return path;
}
