import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const made: string[] = [];

/** A fresh directory, removed by `removeTempDirs`. */
export function tempDir(): string {
  const dir = mkdtempSync(join(tmpdir(), "sim-"));
  made.push(dir);
  return dir;
}

/** For `afterEach`. */
export function removeTempDirs(): void {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true, force: true });
}
