import type { DatagramAddress } from "@verbena/core/sdk";
import { IpAddress } from "@verbena/ib";
import { malformed } from "./malformed.js";

/** Writes an end, {@link END_SIZE} bytes that are zero. */
export function writeEnd(buf: Buffer, at: number, { address, port, scopeId }: DatagramAddress): void {
  buf.writeUInt8(IpAddress.family(address), at);
  buf.writeUInt16BE(port, at + 2);
  buf.writeUInt32BE(scopeId, at + 4);
  IpAddress.bytes(address).copy(buf, at + 8);
}

/** Reads an end. Throws `VERBENA_RDS_ATTACH_MALFORMED` for a family that is neither 4 nor 6, and for bytes that must be zero. */
export function readEnd(buf: Buffer, at: number): DatagramAddress {
  const family = buf.readUInt8(at);
  const size = family === 4 ? 4 : 16;
  const isZero = buf.readUInt8(at + 1) === 0 && buf.subarray(at + 8 + size, at + 24).every((byte) => byte === 0);
  if ((family !== 4 && family !== 6) || !isZero) throw malformed("an address", `family ${String(family)}`);
  const address = IpAddress.fromBytes(buf.subarray(at + 8, at + 8 + size));
  return { address, port: buf.readUInt16BE(at + 2), scopeId: buf.readUInt32BE(at + 4) };
}
