import { PKey } from "@verbena/ib";
import type { FabricPort } from "./port.js";
import type { Hop } from "./route.js";

/** Bits of PortInfo:PartitionEnforcement (IBA 14.2.5.6). */
const INBOUND = 8;
const OUTBOUND = 4;

/**
 * Which end of a hop does not let a packet of that partition pass, if one does: the ports of switches may be told to filter, by a
 * P_Key table of their own. It is the partition that counts: OpenSM copies a host's table to the switch port in front of it, and a
 * limited member's packets must pass that. Who may talk to whom is for the end port to say.
 */
export function filteredAt({ from, to }: Hop, pkey: PKey): "outbound" | "inbound" | undefined {
  if (enforces(from, OUTBOUND) && !isMember(from, pkey)) return "outbound";
  if (enforces(to, INBOUND) && !isMember(to, pkey)) return "inbound";
  return undefined;
}

function enforces({ node, number, settings }: FabricPort, bit: number): boolean {
  return node.kind === "switch" && number !== 0 && (settings.partitionEnforcement & bit) !== 0;
}

function isMember({ pkeys }: FabricPort, pkey: PKey): boolean {
  return pkeys.some((one) => PKey.isValid(one) && PKey.samePartition(one, pkey));
}
