import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import type { Clock } from "../sdk/services.js";
import { openFilesLimit } from "./limits.js";

/** Left free for everything but connections: a reload's files, a new port's devices. */
const HEADROOM = 8;
/** The limit of a running process can be changed from outside; it is looked at again after so long, milliseconds. */
const LOOK_MS = 1_000;

/**
 * What the process's limit on descriptors leaves for connections. When none is left, libuv takes connections and closes them without a
 * word; so connections are refused here shortly before that. The system gives the lowest number that is free: a high one says that all
 * below are in use, whoever uses them.
 */
export class DescriptorRoom {
  #limit: number | undefined;
  #lookedAt: number;

  constructor(
    private readonly clock: Clock,
    private readonly read: () => number | undefined = readOpenFilesLimit,
  ) {
    this.#limit = read();
    this.#lookedAt = clock.now();
  }

  /** The limit when it was last looked at; `undefined` where there is none. */
  get limit(): number | undefined {
    return this.#limit;
  }

  /** False for a connection that was given one of the last descriptors. */
  has(fd: number | undefined): boolean {
    const now = this.clock.now();
    if (now - this.#lookedAt >= LOOK_MS) {
      this.#lookedAt = now;
      this.#limit = this.read() ?? this.#limit;
    }
    return fd === undefined || this.#limit === undefined || fd < this.#limit - HEADROOM;
  }
}

/** Node keeps the descriptor of a socket on its handle and offers no other way to it. */
export function descriptorOf(socket: Socket): number | undefined {
  const handle = (socket as { readonly _handle?: { readonly fd?: number } | null })._handle;
  return handle?.fd !== undefined && handle.fd >= 0 ? handle.fd : undefined;
}

/** Node raises the soft limit to the hard one when it starts. */
function readOpenFilesLimit(): number | undefined {
  try {
    return openFilesLimit(readFileSync("/proc/self/limits", "utf8"));
  } catch {
    return undefined; // no such file here, or no descriptor to open it with
  }
}
