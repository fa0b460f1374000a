import { readFileSync } from "node:fs";
import type { Socket } from "node:net";

/** Bytes that the kernel has received, and acknowledged, for a socket that does not read them. */
export function waitingBytes({ localPort = 0, remotePort = 0 }: Socket): number {
  const port = (value: number): string => `:${value.toString(16).toUpperCase().padStart(4, "0")}`;
  for (const line of readFileSync("/proc/net/tcp", "latin1").split("\n")) {
    const [, local, remote, , queues] = line.trim().split(/\s+/);
    if (local?.endsWith(port(localPort)) !== true || remote?.endsWith(port(remotePort)) !== true) continue;
    return Number.parseInt(queues?.split(":")[1] ?? "", 16);
  }
  throw new Error("the kernel does not list the socket");
}
