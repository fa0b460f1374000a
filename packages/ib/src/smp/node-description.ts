import { needBytes } from "../wire/check.js";
import { putText, readText } from "../wire/text.js";

/** Bytes of NodeDescription on the wire. */
export const NODE_DESCRIPTION_SIZE = 64;

/** Encodes a NodeDescription (IBA 14.2.5.2): UTF-8, NUL-padded to 64 bytes. Throws `VERBENA_IB_VALUE` if it is longer. */
export function encodeNodeDescription(text: string): Buffer {
  const buf = Buffer.alloc(NODE_DESCRIPTION_SIZE);
  putText(buf, 0, text, NODE_DESCRIPTION_SIZE, "NodeDescription");
  return buf;
}

/** Decodes the text up to the first NUL (all 64 bytes may be used). Throws `VERBENA_IB_MALFORMED`. */
export function decodeNodeDescription(buf: Buffer, offset = 0): string {
  needBytes("NodeDescription", buf, offset, NODE_DESCRIPTION_SIZE);
  return readText(buf, offset, NODE_DESCRIPTION_SIZE);
}
