import { defineErrors } from "@verbena/ib";

/** Every coded error of `@verbena/provider-acm`; one section each in `docs/errors.md`. */
export const PROVIDER_ACM_ERRORS = {
  VERBENA_PROVIDER_ACM_JOIN: {
    message: "the subnet administrator refused to let the port join group {mgid}: status 0x{status}",
    hint: "see the log of the subnet manager: the port's partition, rate or MTU does not fit the group; all hosts need the same min_rate and min_mtu",
  },
  VERBENA_PROVIDER_ACM_TIMEOUT: {
    message: "no peer answered for {destination} in {tries} tries",
    hint: "the host is down, runs no daemon, or is in another partition or base group; `verbena endpoints` shows the groups",
  },
  VERBENA_PROVIDER_ACM_STATUS: {
    message: "the peer answered for {destination} with status {status}",
    hint: "see the log of the peer's daemon",
  },
  VERBENA_PROVIDER_ACM_CLOSED: {
    message: "endpoint {endpoint} has been closed",
  },
} as const;

/** Makes an error of this package's table. */
export const providerAcmError = defineErrors(PROVIDER_ACM_ERRORS);
