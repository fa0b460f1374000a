import type { SaResponse } from "@verbena/core/sdk";
import { providerSaError } from "./errors.js";

/** SA class status of an empty answer (IBA 15.2.2 ERR_NO_RECORDS), in the high byte of the MAD status. */
const NO_RECORDS = 0x0300;

/** Records of an answer; none when the SA knows none; a coded error (detail `saStatus`) for every other refusal. */
export function recordsOf(response: SaResponse, what: string): readonly Buffer[] {
  if (response.status === 0) return response.records;
  if (response.status === NO_RECORDS) return [];
  throw providerSaError("VERBENA_PROVIDER_SA_STATUS", {
    details: { what, status: response.status.toString(16).padStart(4, "0"), saStatus: response.status },
  });
}
