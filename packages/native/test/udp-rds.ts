import { createSocket } from "node:dgram";
import { once } from "node:events";
import { IpAddress } from "@verbena/ib";
import type { KernelRdsAddress } from "../src/api/rds.js";
import type { RdsSocketBinding } from "../src/binding.js";
import { loadBinding } from "../src/load-binding.js";
import { OpenKernelRdsSocket } from "../src/rds/kernel-rds-socket.js";
import { ReceiveBlock } from "../src/rds/receive-block.js";

/** The addon's RDS socket around UDP on 127.0.0.1, which every kernel has: addresses, messages and readiness are alike. */
export async function udpBinding(): Promise<{ binding: RdsSocketBinding; port: number }> {
  const udp = createSocket("udp4");
  udp.bind(0, "127.0.0.1");
  await once(udp, "listening");
  const { port } = udp.address();
  // Node offers no descriptor of a datagram socket; its handle is kept under a symbol.
  const states = Object.getOwnPropertySymbols(udp).map((symbol) => (udp as unknown as Record<symbol, unknown>)[symbol]);
  const fd = states
    .map((state) => (state as { handle?: { fd?: number } } | null)?.handle?.fd)
    .find((one) => one !== undefined);
  if (fd === undefined) throw new Error("this Node keeps the handle of a datagram socket elsewhere");
  const binding = loadBinding().duplicateRds(fd);
  udp.close();
  return { binding, port };
}

/** A socket over it, and its address. */
export async function udpSocket(): Promise<{ socket: OpenKernelRdsSocket; address: KernelRdsAddress }> {
  const { binding, port } = await udpBinding();
  const socket = new OpenKernelRdsSocket(binding, new ReceiveBlock(), () => undefined);
  return { socket, address: { address: IpAddress.parse("127.0.0.1"), port } };
}
