import { decodeSaMad, MadMethod, saTableRecords } from "@verbena/ib";
import type { SaQuery, SaResponse } from "../sdk/services.js";

/** MAD method of each kind of query. */
export const SA_METHODS = {
  get: MadMethod.GET,
  set: MadMethod.SET,
  delete: MadMethod.DELETE,
  getTable: MadMethod.GET_TABLE,
} as const satisfies Record<SaQuery["method"], number>;

const RESPONSES = {
  get: MadMethod.GET_RESP,
  set: MadMethod.GET_RESP,
  delete: MadMethod.DELETE_RESP,
  getTable: MadMethod.GET_TABLE_RESP,
} as const satisfies Record<SaQuery["method"], number>;

/** Low 32 bits of the transaction id; the kernel owns the high half. `undefined` when there is no whole MAD header. */
export function lowTid(mad: Buffer): number | undefined {
  return mad.length >= 16 ? mad.readUInt32BE(12) : undefined;
}

/** What the SA said, if these bytes are an answer to this query at all. */
export function readResponse(bytes: Buffer, query: SaQuery): SaResponse | undefined {
  try {
    const mad = decodeSaMad(bytes);
    if (mad.method !== RESPONSES[query.method] || mad.attributeId !== query.attributeId) return undefined;
    const isTable = query.method === "getTable" && mad.status === 0;
    // Some simulators cut the MAD behind the record; what follows the record is padding anyway.
    const records = isTable ? saTableRecords(bytes) : [mad.data.subarray(0, query.record.length)];
    return { status: mad.status, records };
  } catch {
    return undefined;
  }
}
