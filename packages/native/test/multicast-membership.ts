import { createSocket } from "node:dgram";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Gid } from "@verbena/ib";
import type { Context } from "../src/index.js";

/**
 * Makes the network interface under port 1 a member of the group: on Ethernet the datagrams of a multicast group travel as IPv6, and the
 * kernel takes those of its own groups only. Elsewhere the subnet administrator's matter, and nothing here.
 */
export async function joinGroup(context: Context, group: Gid): Promise<Disposable> {
  if (context.queryPort(1).linkLayer !== "ethernet") return { [Symbol.dispose]: () => undefined };
  const netdev = readFileSync(`/sys/class/infiniband/${context.device.name}/ports/1/gid_attrs/ndevs/0`, "ascii").trim();
  const socket = createSocket("udp6");
  socket.bind();
  await once(socket, "listening");
  socket.addMembership(Gid.format(group), `::%${netdev}`);
  return { [Symbol.dispose]: () => socket.close() };
}
