import { stat } from "node:fs/promises";
import type { DaemonConfig } from "../config/daemon-config.js";
import { unlessAborted } from "../files/unless-aborted.js";

/**
 * What tells a preload file from a later version of itself; equal as long as nobody has written or replaced one. Rejects with the
 * signal's reason only.
 */
export async function preloadVersions(
  preload: Pick<DaemonConfig["preload"], "hosts" | "routeDump">,
  signal?: AbortSignal,
): Promise<string> {
  const looks = Promise.all([versionOf(preload.hosts), versionOf(preload.routeDump)]);
  const versions = await unlessAborted(looks, signal);
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
