/**
 * Fields "in host order" (byte order of the CPU): the local ACM protocol and the kernel's netlink messages are spoken on one
 * machine only, and their numbers are copied as they lie in memory. Little-endian on every platform in common use.
 */
const LITTLE = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/** Reads 16 bits in host order. */
export function readU16Host(buf: Buffer, offset: number): number {
  return LITTLE ? buf.readUInt16LE(offset) : buf.readUInt16BE(offset);
}

/** Reads 32 bits in host order. */
export function readU32Host(buf: Buffer, offset: number): number {
  return LITTLE ? buf.readUInt32LE(offset) : buf.readUInt32BE(offset);
}

/** Writes 16 bits in host order; the caller has checked the range. */
export function writeU16Host(buf: Buffer, offset: number, value: number): void {
  if (LITTLE) buf.writeUInt16LE(value, offset);
  else buf.writeUInt16BE(value, offset);
}

/** Writes 32 bits in host order; the caller has checked the range. */
export function writeU32Host(buf: Buffer, offset: number, value: number): void {
  if (LITTLE) buf.writeUInt32LE(value, offset);
  else buf.writeUInt32BE(value, offset);
}

/** Reads 64 bits in host order. */
export function readU64Host(buf: Buffer, offset: number): bigint {
  return LITTLE ? buf.readBigUInt64LE(offset) : buf.readBigUInt64BE(offset);
}

/** Writes 64 bits in host order; the caller has checked the range. */
export function writeU64Host(buf: Buffer, offset: number, value: bigint): void {
  if (LITTLE) buf.writeBigUInt64LE(value, offset);
  else buf.writeBigUInt64BE(value, offset);
}
