import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { NativeBinding } from "./binding.js";
import { nativeError } from "./errors.js";
import { reasonOf } from "./failure.js";

/** Environment variables as a plain record; injected so that tests need not change the process's own. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Where the addon is looked for: `VERBENA_NATIVE_DIR` and nowhere else if set, else the package's own build folder. */
export function bindingPath(env: Environment = process.env): string {
  const override = env["VERBENA_NATIVE_DIR"];
  // No fall-back: an override that silently loads another build has made sanitizer runs green that tested nothing.
  const dir = override !== undefined && override !== "" ? override : join(__dirname, "..", "build", "Release");
  return join(dir, "verbena_native.node");
}

/** Loads the addon. Throws `VERBENA_NATIVE_ADDON`. The module cache makes later calls cheap. */
export function loadBinding(env: Environment = process.env): NativeBinding {
  const path = bindingPath(env);
  if (!existsSync(path)) {
    throw nativeError("VERBENA_NATIVE_ADDON", {
      details: { reason: `${path} does not exist`, path },
      ...(env["VERBENA_NATIVE_DIR"] ? { hint: "VERBENA_NATIVE_DIR names a folder without verbena_native.node." } : {}),
    });
  }
  try {
    return createRequire(__filename)(path) as NativeBinding;
  } catch (cause) {
    throw nativeError("VERBENA_NATIVE_ADDON", { details: { reason: reasonOf(cause), path }, cause });
  }
}
