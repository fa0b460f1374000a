import { defineErrors } from "./errors/define-errors.js";

/** Error table of this package; one section per code in `docs/errors.md`. */
export const IB_ERRORS = {
  VERBENA_IB_MALFORMED: {
    message: "{what}: expected {expected}, got {actual}",
    hint: "The bytes do not come from a peer that speaks this protocol, or were cut on the way; compare the sender's version.",
  },
  VERBENA_IB_VALUE: {
    message: "{field}: {value} is out of range (allowed: {allowed})",
    hint: "Values are in host form; check the unit and the width of the field.",
  },
  VERBENA_IB_SYNTAX: {
    message: "not a valid {what}: {text}",
    hint: "Expected {expected}.",
  },
} as const;

/** Makes this package's errors. */
export const ibError = defineErrors(IB_ERRORS);
