import { readWord, writeWord } from "./words.js";

/**
 * A 64-bit sequence number, exact: a plain number where that can hold it, a bigint above 2^53. The two compare with each other by `<`, and a
 * number costs no allocation.
 */
export type Sequence = number | bigint;

/** High words from here on do not fit a plain number together with 32 low bits. */
const HIGH_LIMIT = 2 ** 21;

/** Reads 8 bytes, big-endian. */
export function readSequence(buf: Buffer, at: number): Sequence {
  const high = readWord(buf, at);
  return high < HIGH_LIMIT ? high * 2 ** 32 + readWord(buf, at + 4) : buf.readBigUInt64BE(at);
}

/** Whether the 8 bytes are all 0, which no message's are. */
export function isSequenceZero(buf: Buffer, at: number): boolean {
  return readWord(buf, at + 4) === 0 && readWord(buf, at) === 0;
}

/** Writes 8 bytes, big-endian; what exceeds 64 bits is cut off. */
export function writeSequence(buf: Buffer, at: number, sequence: Sequence): void {
  if (typeof sequence === "bigint") {
    buf.writeBigUInt64BE(BigInt.asUintN(64, sequence), at);
    return;
  }
  writeWord(buf, at, Math.floor(sequence / 2 ** 32));
  writeWord(buf, at + 4, sequence % 2 ** 32);
}

/** The one behind it. */
export function nextSequence(sequence: Sequence): Sequence {
  if (typeof sequence === "bigint") return sequence + 1n;
  return sequence < Number.MAX_SAFE_INTEGER ? sequence + 1 : BigInt(sequence) + 1n;
}
