import { coreError } from "../errors.js";
import { closeLater, openRegular } from "./open-regular.js";
import { unlessAborted } from "./unless-aborted.js";

const CHUNK = 256 * 1024;

/** How a file is read. */
export interface ReadFileOptions {
  /** A longer file is refused. The size that the system tells is not relied on: files grow, and those of /proc have none. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Reads a text file that a user named, in UTF-8. Rejects with VERBENA_FILE_KIND for anything but a regular file, VERBENA_FILE_SIZE,
 * the system's error, or the signal's reason.
 */
export async function readUserFile(file: string, { maxBytes, signal }: ReadFileOptions): Promise<string> {
  const handle = await openRegular(file, signal);
  try {
    const chunks: Buffer[] = [];
    let total = 0;
    for (;;) {
      const { buffer, bytesRead } = await unlessAborted(handle.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK), signal);
      if (bytesRead === 0) return Buffer.concat(chunks, total).toString("utf8");
      total += bytesRead;
      if (total > maxBytes) throw coreError("VERBENA_FILE_SIZE", { details: { file, limit: maxBytes } });
      chunks.push(buffer.subarray(0, bytesRead));
    }
  } finally {
    closeLater(handle);
  }
}
