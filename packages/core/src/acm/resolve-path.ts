import { ACM_FLAG, ACM_STATUS, type AcmAddressRecord, decodePathRecord } from "@verbena/ib";
import type { ClientIdentity, PathRequest } from "../engine/contract.js";
import type { Parsed } from "./resolve-address.js";

/**
 * Reads the PATH record of a RESOLVE by LID or GID. Zero means "not given" in every field. The answer is always wanted reversible:
 * it is handed on as a two-way path, whatever the client's record says; and one path is what the reply holds.
 */
export function parseResolvePath(record: AcmAddressRecord, client: ClientIdentity): Parsed<PathRequest> {
  const path = decodePathRecord(record.info);
  if (path.dlid === 0 && path.dgid === 0n) return { failure: { status: ACM_STATUS.EDESTADDR, isCoreError: true } };
  return {
    request: {
      dgid: path.dgid,
      sgid: path.sgid,
      dlid: path.dlid,
      slid: path.slid,
      pkey: path.pkey,
      ...(path.serviceId === 0n ? {} : { serviceId: path.serviceId }),
      ...(path.tclass === 0 ? {} : { trafficClass: path.tclass }),
      ...(path.sl === 0 ? {} : { sl: path.sl }),
      ...(path.qosClass === 0 ? {} : { qosClass: path.qosClass }),
      reversible: true,
      maxPaths: 1,
      noDelay: (record.flags & ACM_FLAG.NODELAY) !== 0,
      client,
    },
  };
}
