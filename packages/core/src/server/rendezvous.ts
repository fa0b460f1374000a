import { lstatSync, readlinkSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { coreError } from "../errors.js";
import type { AcmListener } from "./listen.js";

/** Names in the run directory by which clients find the daemon. */
export const ACM_RUN_NAMES = {
  /** Socket of `ib_acme`. */
  socket: "ibacm-unix.sock",
  /** Second name of the socket, the one librdmacm opens. */
  socketLink: "ibacm.sock",
  /** Holds the TCP port, decimal and a newline, for `ib_acme -S HOST`. */
  portFile: "ibacm-tcp.port",
  /** Second name of the port file; where librdmacm finds a port in it, it connects to 127.0.0.1 on that port. */
  portFileLink: "ibacm.port",
} as const;

/** `server_mode` and its companions of the options file. */
export interface RendezvousOptions {
  /** `/run`, or what the distribution uses. */
  readonly runDir: string;
  readonly mode: "unix" | "loop" | "open";
  readonly port: number;
  /** Withholds the second names, so that librdmacm does not find the service. */
  readonly acmePlusKernelOnly: boolean;
}

/** The listener that `server_mode` asks for. */
export function listenerFor(options: Pick<RendezvousOptions, "runDir" | "mode" | "port">): AcmListener {
  if (options.mode === "unix") return { kind: "unix", path: join(options.runDir, ACM_RUN_NAMES.socket) };
  return { kind: options.mode, port: options.port };
}

/**
 * Writes the names by which clients find the service and removes those of the other mode, as ibacm does at start. Call it once the
 * server listens. Gives the function that takes the names back. Throws VERBENA_SERVER_RENDEZVOUS.
 */
export function publishRendezvous(options: RendezvousOptions): () => void {
  const at = (name: string): string => join(options.runDir, name);
  const isUnix = options.mode === "unix";
  const link = isUnix ? ACM_RUN_NAMES.socketLink : ACM_RUN_NAMES.portFileLink;
  const target = isUnix ? ACM_RUN_NAMES.socket : ACM_RUN_NAMES.portFile;
  try {
    removeNames(options.runDir, isUnix ? "tcp" : "unix");
    if (!isUnix) writeWhole(at(target), `${options.port}\n`);
    if (options.acmePlusKernelOnly) rmSync(at(link), { force: true });
    else linkTo(at(link), target);
  } catch (cause) {
    const { errno, syscall, message } = cause as NodeJS.ErrnoException;
    throw coreError("VERBENA_SERVER_RENDEZVOUS", {
      details: { runDir: options.runDir, reason: message },
      cause,
      ...(errno === undefined ? {} : { errno: Math.abs(errno) }),
      ...(syscall === undefined ? {} : { syscall }),
    });
  }
  return () => {
    if (!isUnix) rmSync(at(target), { force: true });
    if (isLinkTo(at(link), target)) unlinkSync(at(link));
  };
}

/** Removes the two names of one mode; under systemd only those of `tcp` are ours to remove. */
export function removeNames(runDir: string, mode: "unix" | "tcp"): void {
  const names =
    mode === "unix"
      ? [ACM_RUN_NAMES.socket, ACM_RUN_NAMES.socketLink]
      : [ACM_RUN_NAMES.portFile, ACM_RUN_NAMES.portFileLink];
  for (const name of names) rmSync(join(runDir, name), { force: true });
}

/** A reader never finds half a file or none. */
function writeWhole(path: string, text: string): void {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, text, { mode: 0o644 });
  renameSync(draft, path);
}

function linkTo(path: string, target: string): void {
  rmSync(path, { force: true });
  symlinkSync(target, path);
}

function isLinkTo(path: string, target: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true && readlinkSync(path) === target;
}
