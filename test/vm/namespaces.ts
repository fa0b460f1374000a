import { closeSync, openSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

/** Built with the addon; see packages/native/test/cc. */
function enter(path: string): void {
  const addon = join(process.env["VERBENA_NATIVE_DIR"] ?? "", "enter_namespace.node");
  const { enterNamespace } = createRequire(__filename)(addon) as { enterNamespace(path: string): number };
  const errno = enterNamespace(path);
  if (errno !== 0) throw new Error(`cannot enter ${path}: errno ${errno}`);
}

/** Sockets that this thread opens belong to a network namespace of the machine from now on; the function that is given goes back. */
export function enterNamespace(name: string): () => void {
  const before = openSync("/proc/self/ns/net", "r");
  enter(`/run/netns/${name}`);
  return () => {
    enter(`/proc/self/fd/${before}`);
    closeSync(before);
  };
}

/** Sockets that `work` opens belong to a network namespace. Starting a process there would take a second. */
export function inNamespace<T>(name: string, work: () => T): T {
  const leave = enterNamespace(name);
  try {
    return work();
  } finally {
    leave();
  }
}
