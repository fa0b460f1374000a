import { Gid, Lid, PKey, PortState, Rate } from "@verbena/ib";
import type { Fabric } from "../fabric/fabric.js";
import { filteredAt } from "../fabric/partition-filter.js";
import type { FabricPort } from "../fabric/port.js";
import { type Hop, transit } from "../fabric/route.js";
import type { LoggedPath } from "./entries.js";

/** Ports of hosts and routers; the ends of paths. */
export function hostPorts(fabric: Fabric): readonly FabricPort[] {
  return fabric.nodes.filter((node) => node.kind !== "switch").flatMap((node) => node.ports);
}

/**
 * The paths that packets would arrive by now: read from forwarding tables and ports alone, so that what an administrator or a
 * daemon says can be held against it.
 */
export function effectivePaths(sources: readonly FabricPort[], destinations: readonly FabricPort[]): LoggedPath[] {
  const gids = new Map([...sources, ...destinations].map((port) => [port, Gid.format(port.gid)]));
  return sources.filter(takesPart).flatMap((source) =>
    destinations.filter(takesPart).flatMap((destination) => {
      const pkeys = commonPkeys(source, destination);
      if (pkeys.length === 0) return [];
      return lidsOf(destination).flatMap((dlid) => {
        const { hops, arrivals } = transit(source, dlid);
        const open = pkeys.filter((pkey) => hops.every((hop) => filteredAt(hop, pkey) === undefined));
        if (!arrivals.includes(destination) || open.length === 0) return [];
        return [
          {
            from: source.name,
            to: destination.name,
            sgid: gids.get(source) ?? "",
            dgid: gids.get(destination) ?? "",
            slid: source.lid,
            dlid,
            ...limitsOf(source, hops),
            pkeys: open.map((pkey) => PKey.format(pkey)),
          },
        ];
      });
    }),
  );
}

function takesPart(port: FabricPort): boolean {
  return port.lid !== 0 && port.state === PortState.ACTIVE;
}

function lidsOf(port: FabricPort): readonly Lid[] {
  return Array.from({ length: 1 << port.lmc }, (_, offset) => Lid.from(port.lid + offset));
}

function commonPkeys(source: FabricPort, destination: FabricPort): readonly PKey[] {
  return source.pkeys.filter((one) => destination.pkeys.some((other) => PKey.canTalk(one, other)));
}

function limitsOf(source: FabricPort, hops: readonly Hop[]): { mtu: number; rate: number } {
  let mtu = source.mtuCap;
  let { rate } = source;
  for (const { from, to } of hops) {
    for (const port of [from, to]) {
      if (port.mtuCap < mtu) mtu = port.mtuCap;
      if (port.rate !== rate && Rate.compare(port.rate, rate) < 0) rate = port.rate;
    }
  }
  return { mtu, rate };
}
