import { encodeLftRecord, MadMethod, MadStatus, TABLE_BLOCK_SIZE, TABLE_RECORD_SIZE } from "@verbena/ib";
import type { SaHandler } from "./handler.js";
import { sharePartition } from "./handler.js";

/** Component mask of a LinearForwardingTableRecord (IBA 15.2.5.6). */
const LID = 1n;
const BLOCK = 2n;

/** LinearForwardingTableRecord Get and GetTable: the blocks of 64 LIDs up to the highest LID of each switch's table. */
export const answerLftRecord: SaHandler = (request, sm) => {
  const { method, componentMask: mask, data } = request.mad;
  if (method !== MadMethod.GET && method !== MadMethod.GET_TABLE) {
    return { status: MadStatus.METHOD_ATTRIBUTE_NOT_SUPPORTED };
  }
  const records: Buffer[] = [];
  for (const { ports, tables } of sm.subnet.switches) {
    const [zero] = ports;
    if (zero === undefined || tables === undefined || !sharePartition(request.requester, zero)) continue;
    if ((mask & LID) !== 0n && !zero.hasLid(data.readUInt16BE(0))) continue;
    for (let blockNum = 0; blockNum * TABLE_BLOCK_SIZE <= tables.top; blockNum++) {
      if ((mask & BLOCK) !== 0n && blockNum !== data.readUInt16BE(2)) continue;
      const first = blockNum * TABLE_BLOCK_SIZE;
      const block = Array.from({ length: TABLE_BLOCK_SIZE }, (_, index) => tables.entry(first + index));
      records.push(encodeLftRecord({ lid: zero.lid, blockNum, ports: block }));
    }
  }
  return { records, size: TABLE_RECORD_SIZE };
};
