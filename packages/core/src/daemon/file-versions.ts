import { stat } from "node:fs/promises";
import type { DaemonConfig } from "../config/daemon-config.js";

/** What tells a preload file from a later version of itself; equal as long as nobody has written or replaced one. */
export async function preloadVersions(preload: Pick<DaemonConfig["preload"], "hosts" | "routeDump">): Promise<string> {
  const versions = await Promise.all([versionOf(preload.hosts), versionOf(preload.routeDump)]);
  return versions.join("\n");
}

async function versionOf(file: string | undefined): Promise<string> {
  if (file === undefined) return "none";
  try {
    const { ino, size, mtimeMs } = await stat(file);
    return [file, ino, size, mtimeMs].join(" ");
  } catch {
    return `${file} cannot be read`;
  }
}
