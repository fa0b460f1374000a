import { type BigIntStats, chmodSync, chownSync, lstatSync, renameSync, unlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { coreError } from "../errors.js";

/** Where a server listens. */
export type AcmListener =
  /**
   * A Unix stream socket; `mode` is 0777 unless given, `gid` the process's own. A socket that lies there already is replaced, anything
   * else is refused.
   */
  | { readonly kind: "unix"; readonly path: string; readonly mode?: number; readonly gid?: number }
  /** TCP on 127.0.0.1. Port 0 takes a free one. */
  | { readonly kind: "loop"; readonly port: number }
  /** TCP on 0.0.0.0: every host that reaches this one can ask. */
  | { readonly kind: "open"; readonly port: number }
  /** A listening stream socket of either family, handed over by the service manager. */
  | { readonly kind: "fd"; readonly fd: number };

/** Where it listens in fact. */
export type AcmAddress =
  | { readonly kind: "unix"; readonly path: string }
  | { readonly kind: "tcp"; readonly host: string; readonly port: number }
  | { readonly kind: "fd"; readonly fd: number };

/** A listener at work. */
export interface OpenListener {
  readonly address: AcmAddress;
  /** Removes what `listen` put into the file system, if it is still there. */
  withdraw(): void;
}

/** A socket of one implementation or another that is to listen. Each method may be called once in all; it rejects with the system's error. */
export interface ListeningSocket {
  onPath(path: string, backlog: number): Promise<void>;
  /** Gives the port, which is a free one for 0. */
  onTcp(host: string, port: number, backlog: number): Promise<number>;
  onDescriptor(fd: number, backlog: number): Promise<void>;
  close(): void;
}

/** Bytes of a Unix socket's path, without the final NUL (`sun_path` of Linux). */
const MAX_PATH_BYTES = 107;
const BACKLOG = 4096;
const LOOPBACK = "127.0.0.1";
const ANY = "0.0.0.0";

/** Starts `socket` on `listener`. Rejects with VERBENA_SERVER_LISTEN, VERBENA_SERVER_PATH or VERBENA_SERVER_PATH_LENGTH. */
export async function listen(socket: ListeningSocket, listener: AcmListener): Promise<OpenListener> {
  switch (listener.kind) {
    case "unix":
      return await listenOnPath(socket, listener.path, listener.mode ?? 0o777, listener.gid);
    case "loop":
      return await listenOnTcp(socket, LOOPBACK, listener.port);
    case "open":
      return await listenOnTcp(socket, ANY, listener.port);
    case "fd":
      await started(`descriptor ${listener.fd}`, socket.onDescriptor(listener.fd, BACKLOG));
      return { address: { kind: "fd", fd: listener.fd }, withdraw: () => undefined };
  }
}

async function listenOnTcp(socket: ListeningSocket, host: string, port: number): Promise<OpenListener> {
  const bound = await started(`${host}:${port}`, socket.onTcp(host, port, BACKLOG));
  return { address: { kind: "tcp", host, port: bound }, withdraw: () => undefined };
}

/**
 * Binds beside the path and moves the socket onto it. So clients never find the path empty while a daemon is replaced, the mode is
 * right before anybody can connect, and libuv, which unlinks the path it has bound when it closes, does not unlink a successor's.
 */
async function listenOnPath(
  socket: ListeningSocket,
  path: string,
  mode: number,
  gid: number | undefined,
): Promise<OpenListener> {
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) {
    throw coreError("VERBENA_SERVER_PATH_LENGTH", {
      details: { path, bytes: Buffer.byteLength(path), limit: MAX_PATH_BYTES },
    });
  }
  refuseOtherFiles(path);
  const beside = join(dirname(path), `.${process.pid.toString(36)}`);
  const canMove = Buffer.byteLength(beside) <= MAX_PATH_BYTES && basename(beside) !== basename(path);
  const bound = canMove ? beside : path;
  removeIfThere(bound);
  try {
    await socket.onPath(bound, BACKLOG);
  } catch (error) {
    throw listenError(path, error, bound);
  }
  try {
    // Before the mode: nobody of the group it had first may connect.
    if (gid !== undefined) chownSync(bound, -1, gid);
    chmodSync(bound, mode);
    if (canMove) renameSync(bound, path);
  } catch (error) {
    socket.close();
    throw listenError(path, error, bound);
  }
  const inode = look(path)?.ino;
  return {
    address: { kind: "unix", path },
    withdraw: () => {
      if (look(path)?.ino === inode) removeIfThere(path);
    },
  };
}

function refuseOtherFiles(path: string): void {
  const there = look(path);
  if (there === undefined || there.isSocket() || there.isSymbolicLink()) return;
  throw coreError("VERBENA_SERVER_PATH", { details: { path } });
}

/** In bigint: after a plain look at a socket, Node's loader does not follow the symbolic links of the next module's path. */
function look(path: string): BigIntStats | undefined {
  return lstatSync(path, { throwIfNoEntry: false, bigint: true });
}

function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw listenError(path, error);
  }
}

async function started<T>(where: string, starting: Promise<T>): Promise<T> {
  try {
    return await starting;
  } catch (error) {
    throw listenError(where, error);
  }
}

/** `bound`: the name that the system's message has in place of `where`. */
function listenError(where: string, cause: unknown, bound = where): Error {
  const { errno, syscall, message } = cause as NodeJS.ErrnoException;
  return coreError("VERBENA_SERVER_LISTEN", {
    details: { where, reason: message.replaceAll(bound, where) },
    cause,
    ...(errno === undefined ? {} : { errno: Math.abs(errno) }),
    ...(syscall === undefined ? {} : { syscall }),
  });
}
