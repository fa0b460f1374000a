import type { SaResponse } from "@verbena/core/sdk";
import { MadStatus } from "@verbena/ib";
import { providerSaError } from "./errors.js";

/** Whether the SA says that there is nothing of the kind (IBA 15.2.2 ERR_NO_RECORDS). */
export function isNoRecords({ status }: SaResponse): boolean {
  return status === MadStatus.SA_NO_RECORDS;
}

/** Records of an answer; none when the SA knows none; a coded error (detail `saStatus`) for every other refusal. */
export function recordsOf(response: SaResponse, what: string): readonly Buffer[] {
  if (response.status === 0) return response.records;
  if (isNoRecords(response)) return [];
  throw providerSaError("VERBENA_PROVIDER_SA_STATUS", {
    details: { what, status: response.status.toString(16).padStart(4, "0"), saStatus: response.status },
  });
}
