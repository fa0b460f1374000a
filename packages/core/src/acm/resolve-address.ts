import { ACM_FLAG, ACM_MAX_RECORDS, ACM_STATUS, type AcmAddressRecord } from "@verbena/ib";
import { isScopedAddress } from "../addresses/scoped-address.js";
import type { ClientIdentity, ResolveRequest } from "../engine/contract.js";
import { destinationOf, isAddressType, isIpType } from "./address.js";
import { type AcmFailure, MALFORMED } from "./status.js";

/** A request for the engine, or the failure it is answered with at once. */
export type Parsed<T> = { readonly request: T } | { readonly failure: AcmFailure };

const fail = (status: number): { failure: AcmFailure } => ({ failure: { status, isCoreError: true } });

/**
 * Reads the records of a RESOLVE by name or address. The checks and their order are the protocol's: the first that hits decides.
 * Records with neither flag are skipped; one record may be source and destination.
 */
export function parseResolveAddress(
  records: readonly AcmAddressRecord[],
  client: ClientIdentity,
): Parsed<ResolveRequest> {
  let source: AcmAddressRecord | undefined;
  let destination: AcmAddressRecord | undefined;
  for (const record of records) {
    if ((record.flags & ACM_FLAG.SOURCE) !== 0) {
      if (source !== undefined) return fail(ACM_STATUS.ESRCADDR);
      if (!isAddressType(record.type)) return fail(ACM_STATUS.ESRCTYPE);
      source = record;
    }
    if ((record.flags & ACM_FLAG.DEST) !== 0) {
      if (destination !== undefined) return fail(ACM_STATUS.EDESTADDR);
      if (!isAddressType(record.type)) return fail(ACM_STATUS.EDESTTYPE);
      destination = record;
    }
  }
  if (destination === undefined) return fail(ACM_STATUS.EDESTTYPE);
  if (source === undefined) {
    if (!isIpType(destination.type)) return fail(ACM_STATUS.EDESTTYPE);
    // The reply repeats the request's records and the chosen source: a ninth record has no room.
    if (records.length >= ACM_MAX_RECORDS) return { failure: MALFORMED };
  }
  const [from, to] = [source && destinationOf(source), destinationOf(destination)];
  if (from !== undefined && isScopedAddress(from.text)) return fail(ACM_STATUS.ESRCADDR);
  if (isScopedAddress(to.text)) return fail(ACM_STATUS.EDESTADDR);
  return {
    request: {
      ...(from === undefined ? {} : { source: from }),
      destination: to,
      noDelay: (destination.flags & ACM_FLAG.NODELAY) !== 0,
      maxPaths: 1,
      client,
    },
  };
}
