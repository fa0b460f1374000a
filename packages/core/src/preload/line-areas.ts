import type { FileHandle } from "node:fs/promises";

const NEWLINE = 0x0a;
/** Of a longer line only so much is looked at. */
const MAX_LINE = 16 * 1024;

/** Bytes of a file or stream from an offset on; a chunk is valid until the next one is asked for. */
export type ByteSource = (from: number, signal?: AbortSignal) => AsyncIterable<Buffer>;

/** Whole lines, one behind the other: valid until the next area is asked for. */
export interface LineArea {
  readonly buffer: Buffer;
  /** First byte of the first line. */
  readonly start: number;
  /** Behind the last line, its line end included if it has one. */
  readonly end: number;
  /** Offset of the first line in the source. */
  readonly offset: number;
}

/** The bytes of a file in chunks of `size`; the next one is read while one is looked at. */
export async function* fileChunks(
  handle: FileHandle,
  from: number,
  size: number,
  signal?: AbortSignal,
): AsyncGenerator<Buffer> {
  let [current, other] = [Buffer.allocUnsafe(size), Buffer.allocUnsafe(size)];
  let position = from;
  const read = (buffer: Buffer): ReturnType<FileHandle["read"]> => {
    const reading = handle.read(buffer, 0, size, position);
    // It may fail while the reader of the last chunk is still busy: it hears of it when it asks for more.
    reading.catch(() => undefined);
    return reading;
  };
  let reading = read(current);
  try {
    for (;;) {
      const { bytesRead } = await reading;
      signal?.throwIfAborted();
      if (bytesRead === 0) return;
      position += bytesRead;
      const chunk = current.subarray(0, bytesRead);
      [current, other] = [other, current];
      reading = read(current);
      yield chunk;
    }
  } finally {
    // Who stops early closes the file next.
    await reading.catch(() => undefined);
  }
}

/** Cuts a source into areas of whole lines: nothing is copied but a line that two chunks have a part of. */
export async function* lineAreas(source: ByteSource, from: number, signal?: AbortSignal): AsyncGenerator<LineArea> {
  const cut = Buffer.allocUnsafe(MAX_LINE);
  /** Bytes in `cut`, and how many the line has so far. */
  let [held, length] = [0, 0];
  let offset = from;
  const hold = (buffer: Buffer, start: number, end: number): void => {
    held += buffer.copy(cut, held, start, end);
    length += end - start;
  };
  for await (const chunk of source(from, signal)) {
    let start = 0;
    if (length > 0) {
      start = chunk.indexOf(NEWLINE) + 1;
      hold(chunk, 0, start === 0 ? chunk.length : start);
      if (start === 0) continue;
      yield { buffer: cut, start: 0, end: held, offset };
      offset += length;
      [held, length] = [0, 0];
    }
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    if (end > start) {
      yield { buffer: chunk, start, end, offset };
      offset += end - start;
      start = end;
    }
    hold(chunk, start, chunk.length);
  }
  if (length > 0) yield { buffer: cut, start: 0, end: held, offset };
}

/** How many lines end before each of the offsets, which ascend. Reads no further than the last one. */
export async function countLines(
  source: ByteSource,
  offsets: readonly number[],
  signal?: AbortSignal,
): Promise<readonly number[]> {
  const counts: number[] = [];
  let [lines, position] = [0, 0];
  for await (const chunk of source(0, signal)) {
    let at = 0;
    while (counts.length < offsets.length) {
      const stop = Math.min(chunk.length, (offsets[counts.length] ?? 0) - position);
      for (; at < stop; at += 1) if (chunk[at] === NEWLINE) lines += 1;
      if (stop === chunk.length && position + stop < (offsets[counts.length] ?? 0)) break;
      counts.push(lines);
    }
    position += chunk.length;
    if (counts.length === offsets.length) break;
  }
  return counts;
}
