import type { FileHandle } from "node:fs/promises";

const CHUNK = 256 * 1024;
const NEWLINE = 0x0a;

/** A line of a big file, still inside the read buffer: valid until the visitor returns. */
export interface LineSlice {
  readonly buffer: Buffer;
  /** First byte of the line. */
  start: number;
  /** Behind the last byte, line end not included. */
  end: number;
  /** Offset of the line's first byte in the file. */
  offset: number;
  /** From 1, counted from where reading began. */
  number: number;
}

/**
 * Walks the lines of a file from `from` on, one chunk per turn of the event loop; the visitor gets the same object every time and
 * stops the walk by returning true. A line longer than a chunk is handed over in pieces.
 */
export async function walkLines(
  handle: FileHandle,
  from: number,
  visit: (line: LineSlice) => boolean,
  signal?: AbortSignal,
): Promise<void> {
  const buffer = Buffer.allocUnsafe(CHUNK);
  const line: LineSlice = { buffer, start: 0, end: 0, offset: from, number: 0 };
  let held = 0;
  let position = from;
  for (;;) {
    signal?.throwIfAborted();
    const { bytesRead } = await handle.read(buffer, held, CHUNK - held, position);
    const isLast = bytesRead === 0;
    const base = position - held;
    position += bytesRead;
    const end = held + bytesRead;
    let start = 0;
    while (start < end) {
      let stop = buffer.subarray(start, end).indexOf(NEWLINE);
      stop = stop < 0 ? -1 : stop + start;
      if (stop < 0 && !isLast && !(start === 0 && end === CHUNK)) break;
      line.start = start;
      line.end = stop < 0 ? end : stop;
      line.offset = base + start;
      line.number += 1;
      if (visit(line)) return;
      start = stop < 0 ? end : stop + 1;
    }
    if (isLast) return;
    buffer.copyWithin(0, start, end);
    held = end - start;
  }
}
