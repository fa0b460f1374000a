import {
  NODE_RECORD_COMPONENTS as C,
  decodeNodeRecord,
  encodeNodeRecord,
  type Lid,
  MadMethod,
  MadStatus,
  NODE_RECORD_SIZE,
} from "@verbena/ib";
import { nodeInfo } from "../sma/attributes.js";
import { type SaHandler, sharePartition } from "./handler.js";
import { matchesFields } from "./match.js";
import { nodeEndPorts } from "./node-ports.js";

/** NodeRecord Get and GetTable (IBA 15.2.5.2): one record for each port with a LID, by node. */
export const answerNodeRecord: SaHandler = (request, sm) => {
  const { method, componentMask: mask, data } = request.mad;
  if (method !== MadMethod.GET && method !== MadMethod.GET_TABLE) {
    return { status: MadStatus.METHOD_ATTRIBUTE_NOT_SUPPORTED };
  }
  const wanted = decodeNodeRecord(data);
  const records: Buffer[] = [];
  for (const port of nodeEndPorts(sm.subnet)) {
    if (!sharePartition(request.requester, port)) continue;
    const record = { lid: port.lid, nodeInfo: nodeInfo(port), nodeDescription: port.node.description };
    // Any LID of the port finds it; the answer has the base LID.
    const lid: Lid = port.hasLid(wanted.lid) ? wanted.lid : record.lid;
    const actual = { ...record.nodeInfo, lid, nodeDescription: record.nodeDescription };
    if (matchesFields(C, mask, { ...wanted.nodeInfo, ...wanted }, actual)) records.push(encodeNodeRecord(record));
  }
  return { records, size: NODE_RECORD_SIZE };
};
