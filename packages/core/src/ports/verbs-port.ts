import { Gid, Guid, Rate } from "@verbena/ib";
import type { VerbsContext } from "@verbena/native";
import type { PortReading } from "./port-source.js";

/** Reads one port through an open verbs context. Throws what the queries throw. */
export function readVerbsPort(context: VerbsContext, port: number, portCount: number): PortReading {
  const attributes = context.queryPort(port);
  const gids = context.gids(port);
  return {
    device: context.device.name,
    nodeGuid: context.device.nodeGuid,
    portCount,
    port,
    portGuid: Guid.from(Gid.guid(gids[0] ?? Gid.zero)),
    state: attributes.state,
    lid: attributes.lid,
    lmc: attributes.lmc,
    smLid: attributes.smLid,
    smSl: attributes.smSl,
    subnetTimeout: attributes.subnetTimeout,
    activeMtu: attributes.activeMtu,
    activeRate: Rate.fromWidthSpeed(attributes.activeWidth, attributes.activeSpeed) ?? Rate.zero,
    gids,
    pkeys: context.pkeys(port),
    linkLayer: attributes.linkLayer.toLowerCase(),
  };
}
