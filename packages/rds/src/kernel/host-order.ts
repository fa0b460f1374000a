import { endianness } from "node:os";

// What the kernel tells programs of the same machine is in the machine's own byte order, unless it is an address or a port.
const isLittle = endianness() === "LE";

/** Reads an unsigned 32-bit number in host order. */
export const readHost32 = (bytes: Buffer, at: number): number =>
  isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at);

/** Reads a signed 32-bit number in host order. */
export const readHostInt = (bytes: Buffer, at: number): number =>
  isLittle ? bytes.readInt32LE(at) : bytes.readInt32BE(at);

/** Reads an unsigned 64-bit number in host order. */
export const readHost64 = (bytes: Buffer, at: number): bigint =>
  isLittle ? bytes.readBigUInt64LE(at) : bytes.readBigUInt64BE(at);

/** An `int` in host order: what most options take. */
export function hostInt(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  if (isLittle) bytes.writeInt32LE(value);
  else bytes.writeInt32BE(value);
  return bytes;
}
