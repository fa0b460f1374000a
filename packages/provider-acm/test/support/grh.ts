import { Gid } from "@verbena/ib";

/** The 40 bytes in front of a datagram (IBA 8.3). */
export function grh(sgid: Gid, dgid: Gid): Buffer {
  const bytes = Buffer.alloc(40);
  bytes[0] = 0x60;
  bytes.writeUInt16BE(256 + 12 + 8 + 4, 4);
  bytes[6] = 0x1b;
  Gid.write(bytes, 8, sgid);
  Gid.write(bytes, 24, dgid);
  return bytes;
}
