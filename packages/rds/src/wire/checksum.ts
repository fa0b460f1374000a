import { HEADER_SIZE, HeaderOffset } from "./header-layout.js";
import { readHalfWord } from "./words.js";

/**
 * The Internet checksum over a header with the checksum field taken as 0: what belongs into that field, in host form. Over TCP the field
 * stays 0, "not checked".
 */
export function headerChecksum(buf: Buffer, at: number): number {
  return ~fold(sumWords(buf, at) - buf.readUInt16BE(at + HeaderOffset.checksum)) & 0xffff;
}

/** Whether the checksum of a header is right, or 0. */
export function isChecksumGood(buf: Buffer, at: number): boolean {
  if (readHalfWord(buf, at + HeaderOffset.checksum) === 0) return true;
  return fold(sumWords(buf, at)) === 0xffff;
}

function sumWords(buf: Buffer, at: number): number {
  let sum = 0;
  for (let offset = 0; offset < HEADER_SIZE; offset += 2) sum += buf.readUInt16BE(at + offset);
  return sum;
}

/** Adds the carries in. Two rounds do for 24 words. */
function fold(sum: number): number {
  const once = (sum & 0xffff) + (sum >>> 16);
  return (once & 0xffff) + (once >>> 16);
}
