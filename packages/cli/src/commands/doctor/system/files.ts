import { constants } from "node:fs";
import { access, readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import type { Problem } from "../probe.js";

/** The host's files below a root, so that tests can hand in another host. What cannot be read is `undefined`. */
export class HostFiles {
  constructor(private readonly root = "/") {}

  /** The path in the file system of this process. */
  path(path: string): string {
    return this.root === "/" ? path : join(this.root, path);
  }

  /** Text without the white space around it. */
  async read(path: string): Promise<string | undefined> {
    return orUndefined(async () => (await readFile(this.path(path), "utf8")).trim());
  }

  /** Sorted as people count; `undefined` when there is no such folder. */
  async list(path: string): Promise<readonly string[] | undefined> {
    const names = await orUndefined(() => readdir(this.path(path)));
    return names?.sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  }

  async linkTarget(path: string): Promise<string | undefined> {
    return orUndefined(() => readlink(this.path(path)));
  }

  /** Why this process cannot read and write a file. */
  async accessProblem(path: string): Promise<Problem | undefined> {
    try {
      await access(this.path(path), constants.R_OK | constants.W_OK);
      return undefined;
    } catch (error) {
      const { code = "unknown" } = error as NodeJS.ErrnoException;
      return { errno: code, reason: code === "EACCES" ? "permission denied" : `cannot be used (${code})` };
    }
  }
}

async function orUndefined<T>(look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look();
  } catch {
    return undefined;
  }
}
