import { VerbenaError } from "@verbena/ib";
import type { Availability, LibraryAvailability, NativeOptions } from "./api/services.js";
import type { NativeBinding } from "./binding.js";
import { reasonOf } from "./failure.js";
import { Libraries } from "./libraries/libraries.js";
import { bindingPath, type Environment, loadBinding } from "./load-binding.js";
import { checkOptions } from "./options.js";

/** For tests: what {@link availability} uses instead of the process's own. */
export interface AvailabilityParts {
  readonly binding?: NativeBinding;
  readonly env?: Environment;
}

/**
 * Tells what of the native side can be used on this machine, and what to do about the rest. Loads the addon and the libraries; opens no
 * device. Throws nothing but `VERBENA_NATIVE_OPTION`.
 */
export function availability(options: NativeOptions = {}, parts: AvailabilityParts = {}): Availability {
  checkOptions(options);
  const env = parts.env ?? process.env;
  let binding: NativeBinding;
  try {
    binding = parts.binding ?? loadBinding(env);
  } catch (cause) {
    const hint = (VerbenaError.is(cause) ? cause.hint : undefined) ?? "";
    const addon: LibraryAvailability = { available: false, reason: reasonOf(cause), hint };
    const blocked: LibraryAvailability = { available: false, reason: "the native addon is not loaded", hint };
    return { addon, verbs: blocked, umad: blocked };
  }
  return {
    ...new Libraries(binding, options, env).availability(),
    addon: { available: true, path: parts.binding === undefined ? bindingPath(env) : "handed in" },
  };
}
