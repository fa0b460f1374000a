import { checkU64, checkUint } from "./check.js";

/*
 * Checked big-endian writers. Buffer's own writers throw Node's RangeError; a codec must fail with the project's code and the
 * name of the field. The caller guarantees that the bytes exist (it allocated them, or called needBytes).
 */

/** Writes 8 bits. */
export function putU8(buf: Buffer, offset: number, value: number, field: string): void {
  buf[offset] = checkUint(value, 0xff, field);
}

/** Writes 16 bits, big-endian. */
export function putU16(buf: Buffer, offset: number, value: number, field: string): void {
  checkUint(value, 0xffff, field);
  buf[offset] = value >>> 8;
  buf[offset + 1] = value;
}

/** Writes 24 bits, big-endian. */
export function putU24(buf: Buffer, offset: number, value: number, field: string): void {
  checkUint(value, 0xff_ffff, field);
  buf[offset] = value >>> 16;
  buf[offset + 1] = value >>> 8;
  buf[offset + 2] = value;
}

/** Writes 32 bits, big-endian. */
export function putU32(buf: Buffer, offset: number, value: number, field: string): void {
  checkUint(value, 0xffff_ffff, field);
  buf[offset] = value >>> 24;
  buf[offset + 1] = value >>> 16;
  buf[offset + 2] = value >>> 8;
  buf[offset + 3] = value;
}

/** Writes 64 bits, big-endian. */
export function putU64(buf: Buffer, offset: number, value: bigint, field: string): void {
  buf.writeBigUInt64BE(checkU64(value, field), offset);
}

/** Copies `bytes` into a field of `size` bytes that is already zero; shorter input leaves the tail zero. */
export function putBytes(buf: Buffer, offset: number, bytes: Uint8Array, size: number, field: string): void {
  checkUint(bytes.length, size, `${field}.length`);
  buf.set(bytes, offset);
}

/** Checks that `value` fits `width` bits (at most 31) and returns it. */
export function bits(value: number, width: number, field: string): number {
  return checkUint(value, 2 ** width - 1, field);
}
