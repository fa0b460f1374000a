import { createRequire } from "node:module";
import { join } from "node:path";

const FIRST = "/proc/1/ns/net";

/** Built with the addon; see packages/native/test/cc. */
function enterNamespace(path: string): void {
  const addon = join(process.env["VERBENA_NATIVE_DIR"] ?? "", "enter_namespace.node");
  const { enterNamespace: enter } = createRequire(__filename)(addon) as { enterNamespace(path: string): number };
  const errno = enter(path);
  if (errno !== 0) throw new Error(`cannot enter ${path}: errno ${errno}`);
}

/** Sockets that `work` opens belong to a network namespace of the machine. Starting a process there would take a second. */
export function inNamespace<T>(name: string, work: () => T): T {
  enterNamespace(`/run/netns/${name}`);
  try {
    return work();
  } finally {
    enterNamespace(FIRST);
  }
}
