import type { ProcessSeen } from "../probe.js";

/** Says of whom a limit or a capability is. */
export function whose({ isDaemon, pid }: ProcessSeen & { readonly isDaemon: boolean }): string {
  return isDaemon ? `daemon (process ${String(pid)})` : "this shell";
}
