import { endianness } from "node:os";

// Structures that the kernel shares with programs of the same machine are in its own byte order.
/** True on machines whose low byte comes first. */
export const IS_LITTLE = endianness() === "LE";

/** Reads an unsigned 16-bit number in host order. */
export const readHost16 = (buf: Buffer, at: number): number =>
  IS_LITTLE ? buf.readUInt16LE(at) : buf.readUInt16BE(at);

/** Reads an unsigned 32-bit number in host order. */
export const readHost32 = (buf: Buffer, at: number): number =>
  IS_LITTLE ? buf.readUInt32LE(at) : buf.readUInt32BE(at);

/** Writes an unsigned 16-bit number in host order. */
export const writeHost16 = (buf: Buffer, at: number, value: number): number =>
  IS_LITTLE ? buf.writeUInt16LE(value, at) : buf.writeUInt16BE(value, at);

/** Writes an unsigned 32-bit number in host order. */
export const writeHost32 = (buf: Buffer, at: number, value: number): number =>
  IS_LITTLE ? buf.writeUInt32LE(value, at) : buf.writeUInt32BE(value, at);
