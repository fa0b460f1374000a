import { constants, type Stats } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { coreError } from "../errors.js";
import { unlessAborted } from "./unless-aborted.js";

/** Major 1, minor 3 (devices.txt of the Linux kernel), as `st_rdev` has it. */
const NULL_DEVICE = (1 << 8) | 3;

/**
 * Opens a file that a user named, for reading. Only a regular file is taken, and `/dev/null`, which people give in place of an
 * empty one: a FIFO would wait for its writer, a terminal for somebody who types, `/dev/zero` has no end. Rejects with VERBENA_FILE_KIND, the system's error, or the signal's reason.
 */
export async function openRegular(file: string, signal?: AbortSignal): Promise<FileHandle> {
  signal?.throwIfAborted();
  // Before it is opened: there are devices that do something then.
  refuseOthers(file, await unlessAborted(stat(file), signal));
  // O_NONBLOCK: it may have become a FIFO since. O_NOCTTY: or a terminal.
  const { O_RDONLY, O_NONBLOCK, O_NOCTTY } = constants;
  const handle = await unlessAborted(open(file, O_RDONLY | O_NONBLOCK | O_NOCTTY), signal, closeLater);
  try {
    refuseOthers(file, await unlessAborted(handle.stat(), signal));
    return handle;
  } catch (error) {
    closeLater(handle);
    throw error;
  }
}

/** Closes without waiting: a read that hangs would be waited for. */
export function closeLater(handle: FileHandle): void {
  handle.close().catch(() => undefined);
}

function refuseOthers(file: string, found: Stats): void {
  if (!found.isFile() && !isNull(found))
    throw coreError("VERBENA_FILE_KIND", { details: { file, kind: kindOf(found) } });
}

/** The device of that number, whatever its name. */
function isNull(found: Stats): boolean {
  return found.isCharacterDevice() && found.rdev === NULL_DEVICE;
}

function kindOf(found: Stats): string {
  if (found.isDirectory()) return "a folder";
  if (found.isFIFO()) return "a FIFO";
  if (found.isSocket()) return "a socket";
  return found.isCharacterDevice() || found.isBlockDevice() ? "a device" : "something else";
}
