// What is read and written with each message: bytes by hand are faster than Buffer's methods, which check their arguments first.

/** Reads 4 bytes, big-endian, which MUST be there. */
export function readWord(buf: Uint8Array, at: number): number {
  return (((buf[at] ?? 0) << 24) | ((buf[at + 1] ?? 0) << 16) | ((buf[at + 2] ?? 0) << 8) | (buf[at + 3] ?? 0)) >>> 0;
}

/** Reads 2 bytes, big-endian, which MUST be there. */
export function readHalfWord(buf: Uint8Array, at: number): number {
  return ((buf[at] ?? 0) << 8) | (buf[at + 1] ?? 0);
}

/** Writes 4 bytes, big-endian. */
export function writeWord(buf: Uint8Array, at: number, value: number): void {
  buf[at] = value >>> 24;
  buf[at + 1] = value >>> 16;
  buf[at + 2] = value >>> 8;
  buf[at + 3] = value;
}

/** Writes 2 bytes, big-endian. */
export function writeHalfWord(buf: Uint8Array, at: number, value: number): void {
  buf[at] = value >>> 8;
  buf[at + 1] = value;
}
