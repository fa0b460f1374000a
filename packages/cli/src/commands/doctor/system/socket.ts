import { lstat } from "node:fs/promises";
import { createConnection, type NetConnectOpts, type Socket } from "node:net";
import type { ProcessService } from "@verbena/native";
import type { SocketSeen } from "../probe.js";
import type { HostFiles } from "./files.js";

/** What the socket look needs beside the path. */
interface SocketParts {
  readonly files: HostFiles;
  /** How long a connection may take, milliseconds. */
  readonly patienceMs: number;
  /** SO_PEERCRED; absent where the addon is not loaded. */
  readonly peerCredentials?: ProcessService["peerCredentials"];
}

/** Connects to a Unix socket and hangs up: who listens there? Nothing is sent. */
export async function lookAtSocket(path: string, parts: SocketParts): Promise<SocketSeen> {
  const file = await fileAt(path);
  if ("state" in file) return { path, ...file };
  const { mode } = file;
  try {
    const pid = await peerOf(path, parts);
    const command = pid === undefined ? undefined : await parts.files.read(`/proc/${String(pid)}/comm`);
    return {
      path,
      state: "listening",
      mode,
      ...(pid === undefined ? {} : { pid }),
      ...(command === undefined ? {} : { command }),
    };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ECONNREFUSED") return { path, state: "stale", mode };
    if (code === "ENOENT") return { path, state: "absent" };
    if (code === "EACCES" || code === "EPERM") return { path, state: "denied", mode };
    return { path, state: "problem", mode, reason: message };
  }
}

async function fileAt(path: string): Promise<{ readonly mode: string } | Pick<SocketSeen, "state" | "reason">> {
  try {
    const found = await lstat(path);
    const mode = `0${(found.mode & 0o777).toString(8).padStart(3, "0")}`;
    return found.isSocket() || found.isSymbolicLink() ? { mode } : { state: "not-a-socket" };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return { state: "absent" };
    return code === "EACCES" ? { state: "denied" } : { state: "problem", reason: message };
  }
}

/** Connects to the TCP port of the server modes loop and open on this host. */
export async function lookAtTcp(port: number, patienceMs: number): Promise<SocketSeen> {
  const path = `127.0.0.1:${String(port)}`;
  try {
    await connected({ host: "127.0.0.1", port }, patienceMs, () => undefined);
    return { path, state: "listening" };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === "ECONNREFUSED" ? { path, state: "absent" } : { path, state: "problem", reason: message };
  }
}

function peerOf(path: string, { peerCredentials, patienceMs }: SocketParts): Promise<number | undefined> {
  return connected({ path }, patienceMs, (socket) => {
    const fd = descriptorOf(socket);
    return fd === undefined ? undefined : peerCredentials?.(fd)?.pid;
  });
}

/** Connects, looks, and hangs up. */
function connected<T>(to: NetConnectOpts, patienceMs: number, look: (socket: Socket) => T): Promise<T> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(to);
    const timer = setTimeout(() => {
      socket.destroy(new Error(`no connection within ${String(patienceMs / 1000)} s`));
    }, patienceMs);
    socket.once("close", () => {
      clearTimeout(timer);
    });
    socket.once("error", reject);
    socket.once("connect", () => {
      try {
        resolve(look(socket));
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
      socket.destroy();
    });
  });
}

/** Node keeps the descriptor on the handle and nowhere public. */
function descriptorOf(socket: Socket): number | undefined {
  const handle: unknown = Reflect.get(socket, "_handle");
  const fd: unknown = typeof handle === "object" && handle !== null ? Reflect.get(handle, "fd") : undefined;
  return typeof fd === "number" && fd >= 0 ? fd : undefined;
}
