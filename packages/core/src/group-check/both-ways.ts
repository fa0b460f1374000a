import {
  decodePathRecord,
  emptyPathRecord,
  encodePathRecord,
  type Gid,
  MadStatus,
  type PathRecord,
  type PKey,
  pathRecordMask,
  SaAttribute,
} from "@verbena/ib";
import { coreError } from "../errors.js";
import type { SaQuery, SaService } from "../sdk/services.js";
import type { BothWays } from "./group-problems.js";

/** What is asked about. */
export interface WantedPair {
  readonly sgid: Gid;
  readonly dgid: Gid;
  readonly pkey: PKey;
  /** Service level of both paths; absent = whichever the SA chooses. */
  readonly sl?: number;
  /** For messages. */
  readonly destination: string;
}

/**
 * Asks the SA, past all caches, for the path to a port and for the same way back, LIDs exchanged. Neither is asked to be reversible: whether it is, the
 * answer says. Rejects as {@link SaService} does, and with VERBENA_RESOLVE_SA_STATUS.
 */
export async function askBothWays(
  sa: SaService,
  { sgid, dgid, pkey, sl, destination }: WantedPair,
  context: Pick<SaQuery, "signal" | "deadlineMs" | "requestId">,
): Promise<BothWays> {
  const ask = async (fields: Partial<PathRecord>): Promise<PathRecord | undefined> => {
    const { status, records } = await sa.query({
      ...context,
      method: "get",
      attributeId: SaAttribute.PATH_RECORD,
      componentMask: pathRecordMask(fields),
      record: encodePathRecord(emptyPathRecord(fields)),
    });
    if (status === MadStatus.SA_NO_RECORDS) return undefined;
    if (status !== 0) {
      const details = { destination, saStatus: status, status: status.toString(16).padStart(4, "0") };
      throw coreError("VERBENA_RESOLVE_SA_STATUS", { details });
    }
    const [record] = records;
    return record && decodePathRecord(record);
  };
  const wishes = { pkey, numbPath: 1, ...(sl === undefined ? {} : { sl }) };
  const forward = await ask({ sgid, dgid, ...wishes });
  const lids = forward && { slid: forward.dlid, dlid: forward.slid };
  const reverse = await ask({ sgid: dgid, dgid: sgid, ...lids, ...wishes });
  return { forward, reverse };
}
