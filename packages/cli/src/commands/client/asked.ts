import type { Command } from "commander";

/** Where ib_acme and ours look for a daemon that was started without `--socket`. */
export const DEFAULT_SOCKET = "/run/ibacm-unix.sock";

/** A command that asks a running daemon. */
export function asked(command: Command): Command {
  return command
    .option("--socket <path>", "the daemon's socket", DEFAULT_SOCKET)
    .option("--control <path>", "its control socket (default: the socket's path and .ctl)");
}
