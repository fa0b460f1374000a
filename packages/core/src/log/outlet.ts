import { type BigIntStats, closeSync, constants, fstatSync, openSync, write } from "node:fs";
import { Socket } from "node:net";
import type { Writable } from "node:stream";

/** Where a log's bytes go: one write at a time, and none of them makes the event loop wait. */
export interface LogOutlet {
  /** Calls back when the system has taken the bytes, or with an error and the number of those it took before. */
  write(bytes: Buffer, done: (error: Error | null, taken: number) => void): void;
  /** Gives back what the outlet has opened; nothing is being written. */
  close(): void;
  /** Gives it back also from under a write that does not end, if the system can do that. */
  abandon(): void;
}

/** An outlet for `stdout`, `stderr` or a path; what keeps a file from being opened makes it standard output. */
export function openOutlet(file: string, isNew: boolean): { readonly outlet: LogOutlet; readonly problem?: string } {
  if (file.toLowerCase() === "stdout") return { outlet: standardOutlet(1) };
  if (file.toLowerCase() === "stderr") return { outlet: standardOutlet(2) };
  const { O_WRONLY, O_CREAT, O_TRUNC, O_APPEND, O_NONBLOCK } = constants;
  try {
    // O_NONBLOCK: a FIFO without a reader is an error then; one with a reader is written to as it reads.
    const fd = openSync(file, O_WRONLY | O_CREAT | O_NONBLOCK | (isNew ? O_TRUNC : O_APPEND), 0o640);
    return { outlet: typeOf(fd).isFIFO() ? pipeOutlet(fd) : new FileOutlet(fd) };
  } catch (error) {
    return { outlet: standardOutlet(1), problem: error instanceof Error ? error.message : String(error) };
  }
}

/** Node's own streams write to files and terminals at once, however long that takes, and what waits in them keeps the process. */
function standardOutlet(fd: 1 | 2): LogOutlet {
  const found = typeOf(fd);
  if (found.isFIFO()) {
    try {
      // A description of its own: O_NONBLOCK on the one we were given would be the other programs' that have it.
      return pipeOutlet(openSync(`/proc/self/fd/${String(fd)}`, constants.O_WRONLY | constants.O_NONBLOCK));
    } catch {
      // Another user's pipe: as Node has it.
    }
  }
  if (found.isFIFO() || found.isSocket()) return new StreamOutlet(fd === 1 ? process.stdout : process.stderr);
  return new FileOutlet(fd);
}

function pipeOutlet(fd: number): LogOutlet {
  const socket = new Socket({ fd, readable: false, writable: true });
  return new StreamOutlet(socket, () => socket.destroy());
}

/** In bigint: after a plain look at a FIFO or a socket, Node's loader does not follow the symbolic links of the next module's path. */
function typeOf(fd: number): BigIntStats {
  return fstatSync(fd, { bigint: true });
}

/** Written by the thread pool. */
class FileOutlet implements LogOutlet {
  constructor(private readonly fd: number) {}

  write(bytes: Buffer, done: (error: Error | null, taken: number) => void, from = 0): void {
    write(this.fd, bytes, from, bytes.length - from, null, (error, count) => {
      if (error !== null) done(error, from);
      else if (from + count < bytes.length) this.write(bytes, done, from + count);
      else done(null, bytes.length);
    });
  }

  close(): void {
    if (this.fd > 2) closeSync(this.fd);
  }

  abandon(): void {
    // A write that hangs in the system cannot be taken back, and its descriptor must stay.
  }
}

class StreamOutlet implements LogOutlet {
  constructor(
    private readonly stream: Writable,
    private readonly end: () => void = () => undefined,
  ) {
    stream.on("error", ignore);
  }

  write(bytes: Buffer, done: (error: Error | null, taken: number) => void): void {
    this.stream.write(bytes, (error) => {
      done(error ?? null, error == null ? bytes.length : 0);
    });
  }

  close(): void {
    this.end();
  }

  abandon(): void {
    this.end();
  }
}

/** The write that failed is told; the stream's own event must not end the process. */
function ignore(): void {
  // Nothing to do.
}
