import { readFileSync, realpathSync } from "node:fs";
import { basename } from "node:path";
import type { LibraryAvailability, NativeServices } from "@verbena/native";
import type { LibrariesSeen, LibrarySeen } from "../probe.js";

/** Loads the libraries of a process and says which files they are. */
export function lookAtLibraries(native: NativeServices): LibrariesSeen {
  const { addon, verbs, umad } = native.availability();
  const loaded = loadedFiles();
  return { addon, verbs: withFile(verbs, loaded), umad: withFile(umad, loaded) };
}

function withFile(library: LibraryAvailability, loaded: readonly string[]): LibrarySeen {
  if (!library.available) return library;
  const name = basename(library.path);
  const file = loaded.find((path) => basename(path) === name || basename(path).startsWith(`${name}.`));
  if (file === undefined) return library;
  // libibverbs.so.1.14.44.0: the numbers behind `.so.` are all the version there is.
  const version = /\.so\.([\d.]+)$/.exec(file)?.[1];
  return { available: true, path: file, ...(version === undefined ? {} : { version }) };
}

/** Shared objects mapped into this process, symbolic links followed. */
function loadedFiles(): readonly string[] {
  const paths = readFileSync("/proc/self/maps", "utf8").match(/\/\S+\.so\S*$/gm) ?? [];
  return [...new Set(paths)].map((path) => {
    try {
      return realpathSync(path);
    } catch {
      return path;
    }
  });
}
