import { badValue } from "./check.js";

/** Writes UTF-8 text into a field of `size` bytes that is already zero. Throws `VERBENA_IB_VALUE` if it is longer or holds a NUL. */
export function putText(buf: Buffer, offset: number, text: string, size: number, field: string): void {
  const length = Buffer.byteLength(text, "utf8");
  if (length > size) throw badValue(field, `${length} bytes of text`, `at most ${size} bytes`);
  if (text.includes("\0")) throw badValue(field, JSON.stringify(text), "text without NUL");
  buf.write(text, offset, size, "utf8");
}

/** Reads text up to the first NUL or the end of the field. Bytes that are no UTF-8 become U+FFFD. */
export function readText(buf: Buffer, offset: number, size: number): string {
  const end = buf.indexOf(0, offset);
  return buf.toString("utf8", offset, end < 0 || end > offset + size ? offset + size : end);
}
