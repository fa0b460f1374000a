import { decodeNodeDescription, NODE_DESCRIPTION_SIZE } from "../smp/node-description.js";
import { decodeNodeInfo, type NodeInfo, writeNodeInfo } from "../smp/node-info.js";
import type { Lid } from "../value/lid.js";
import { needBytes } from "../wire/check.js";
import { putU16 } from "../wire/put.js";
import { putText } from "../wire/text.js";

/** Bytes of a NodeRecord on the wire (SA tables pad it to 112). */
export const NODE_RECORD_SIZE = 108;

/** SA NodeRecord (IBA 15.2.5.2). Host form; 108 bytes big-endian on the wire. */
export interface NodeRecord {
  /** Base LID of the port. */
  readonly lid: Lid;
  readonly nodeInfo: NodeInfo;
  /** At most 64 bytes of UTF-8. */
  readonly nodeDescription: string;
}

/** Encodes to 108 bytes. Throws `VERBENA_IB_VALUE`. */
export function encodeNodeRecord(record: NodeRecord): Buffer {
  const buf = Buffer.alloc(NODE_RECORD_SIZE);
  putU16(buf, 0, record.lid, "NodeRecord.lid");
  writeNodeInfo(buf, 4, record.nodeInfo);
  putText(buf, 44, record.nodeDescription, NODE_DESCRIPTION_SIZE, "NodeRecord.nodeDescription");
  return buf;
}

/** Decodes 108 bytes at `offset`. Throws `VERBENA_IB_MALFORMED`. */
export function decodeNodeRecord(buf: Buffer, offset = 0): NodeRecord {
  needBytes("NodeRecord", buf, offset, NODE_RECORD_SIZE);
  return {
    lid: buf.readUInt16BE(offset) as Lid,
    nodeInfo: decodeNodeInfo(buf, offset + 4),
    nodeDescription: decodeNodeDescription(buf, offset + 44),
  };
}
