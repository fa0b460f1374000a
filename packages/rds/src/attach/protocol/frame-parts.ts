import { ATTACH_VERSION, HEADER_SIZE, MAGIC, PREAMBLE_SIZE } from "./layout.js";

/** What either side sends first. */
export function preamble(version = ATTACH_VERSION): Buffer {
  const buf = Buffer.alloc(PREAMBLE_SIZE);
  MAGIC.copy(buf);
  buf.writeUInt16BE(version, 4);
  return buf;
}

/** A header and room for a body, all zero; `behind`: bytes of the body that are sent behind this piece. */
export function frameOf(type: number, size: number, behind = 0): Buffer {
  const buf = Buffer.alloc(HEADER_SIZE + size);
  buf.writeUInt32BE(size + behind, 0);
  buf.writeUInt8(type, 4);
  return buf;
}
