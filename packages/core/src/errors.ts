import { defineErrors } from "@verbena/ib";

/** Every coded error of `@verbena/core`; one section each in `docs/errors.md`. Alphabetical. A code never changes its meaning. */
export const CORE_ERRORS = {
  VERBENA_PROVIDER_DUPLICATE: {
    message: "{where}: a provider named \"{name}\" is already there ({other})",
    hint: "remove one of the two entries",
  },
  VERBENA_PROVIDER_LOAD: {
    message: 'provider package "{specifier}" failed while loading: {reason}',
    hint: "run `node -e \"require('{specifier}')\"` in the configuration's folder to see the failure alone",
  },
  VERBENA_PROVIDER_MANIFEST: {
    message: "{origin}: {what}",
    hint: "correct the manifest given to defineProvider()",
  },
  VERBENA_PROVIDER_NOT_A_PROVIDER: {
    message: "{origin} does not export a provider by default",
    hint: "export default defineProvider({ manifest, provider }) from @verbena/core/sdk",
  },
  VERBENA_PROVIDER_NOT_FOUND: {
    message: 'provider package "{specifier}" was not found from {folders}',
    hint: "install it there, or give its path relative to the configuration file",
  },
  VERBENA_PROVIDER_OPTIONS: {
    message: '{where}: options of provider "{name}": {what}',
    hint: "correct the provider's section of the configuration",
  },
  VERBENA_PROVIDER_SDK_RANGE: {
    message: 'provider "{name}" {version} ({origin}) works with SDK {wanted}, this host offers SDK {offered}',
    hint: "install versions of the provider and of Verbena that fit each other",
  },
  VERBENA_PROVIDER_START: {
    message: 'provider "{name}" could not be constructed: {reason}',
    hint: "see the cause; the provider's author has to correct it",
  },
} as const;

/** Makes an error of this package's table. */
export const coreError = defineErrors(CORE_ERRORS);
