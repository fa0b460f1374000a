import { defineErrors } from "@verbena/ib";

/** Every coded error of `@verbena/provider-sa`; one section each in `docs/errors.md`. */
export const PROVIDER_SA_ERRORS = {
  VERBENA_PROVIDER_SA_STATUS: {
    message: "the subnet administrator refused {what}: status 0x{status}",
    hint: "see the log of the subnet manager; `saquery` with the same fields shows the same status",
  },
} as const;

/** Makes an error of this package's table. */
export const providerSaError = defineErrors(PROVIDER_SA_ERRORS);
