import {
  decodePathRecord,
  emptyPathRecord,
  encodePathRecord,
  type Gid,
  type Lid,
  MadStatus,
  type PathRecord,
  type PKey,
  pathRecordMask,
  SaAttribute,
} from "@verbena/ib";
import { coreError } from "../errors.js";
import type { SaQuery, SaService } from "../sdk/services.js";

/** By which request the SA is asked, and until when. */
export type AskContext = Pick<SaQuery, "signal" | "deadlineMs" | "requestId">;

/**
 * Asks the SA, past all caches, for one path with these fields. `undefined`: it knows none. Rejects as {@link SaService} does, and with
 * VERBENA_RESOLVE_SA_STATUS. `destination`: for messages.
 */
export async function askPath(
  sa: SaService,
  wanted: Partial<PathRecord>,
  destination: string,
  context: AskContext,
): Promise<PathRecord | undefined> {
  const fields = { ...wanted, numbPath: 1 };
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
}

/**
 * GID of the port at a LID, from any path to it, reversible or not: what that lacks the comparison tells. `undefined`: the SA knows none, or gives no GID.
 * Rejects as {@link askPath}.
 */
export async function askGid(
  sa: SaService,
  ends: { readonly sgid: Gid; readonly slid: Lid; readonly dlid: Lid; readonly pkey: PKey },
  destination: string,
  context: AskContext,
): Promise<Gid | undefined> {
  const path = await askPath(sa, ends, destination, context);
  return path === undefined || path.dgid === 0n ? undefined : path.dgid;
}
