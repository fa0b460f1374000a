import { closeSync, writeSync } from "node:fs";
import type { FileLock } from "../api/process.js";
import { nativeError } from "../errors.js";
import { calling } from "../failure.js";

/** A lock that lasts as long as its descriptor is open. */
export class LockedFile implements FileLock {
  #fd: number | undefined;

  constructor(
    private readonly path: string,
    fd: number,
  ) {
    this.#fd = fd;
  }

  write(text: string): void {
    const fd = this.#fd;
    if (fd === undefined) throw nativeError("VERBENA_NATIVE_CLOSED", { details: { what: `lock on ${this.path}` } });
    calling("VERBENA_NATIVE_SYSTEM", { what: `cannot write ${this.path}` }, () => writeSync(fd, text, 0));
  }

  release(): void {
    const fd = this.#fd;
    this.#fd = undefined;
    if (fd !== undefined) closeSync(fd);
  }
}
