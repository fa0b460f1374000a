import {
  decodeMftBlock,
  decodePKeyBlock,
  decodeSwitchInfo,
  Guid,
  LFT_BLOCK_ENTRIES,
  Lid,
  MadStatus,
  MFT_BLOCK_ENTRIES,
  PKEY_BLOCK_ENTRIES,
  type PKey,
  SmAttribute,
} from "@verbena/ib";
import type { Fabric } from "../fabric/fabric.js";
import { ForwardingTables } from "../fabric/forwarding-tables.js";
import type { FabricNode } from "../fabric/node.js";
import type { FabricPort } from "../fabric/port.js";
import {
  answerGet,
  GUIDS_PER_BLOCK,
  MULTICAST_BLOCK_MASK,
  PORTS_PER_MFT_POSITION,
  pkeyPort,
  portOf,
  type SmaAnswer,
  type SmaQuery,
  slToVlKey,
  vlArbitrationKey,
} from "./answer.js";
import { applyPortInfo } from "./apply-port-info.js";
import { GUID_CAP, partitionCap } from "./attributes.js";
import { trimmed } from "./table-entries.js";

const INVALID = { status: MadStatus.INVALID_ATTRIBUTE_VALUE } as const;
const REFUSED = { status: MadStatus.METHOD_ATTRIBUTE_NOT_SUPPORTED } as const;
const SL_TO_VL_SIZE = 8;

/**
 * What a node's subnet management agent does with a Set (IBA 14.2.5). `data` are the 64 bytes of the attribute. The answer
 * is what a Get gives afterwards, or why nothing was changed.
 */
export function applySet(fabric: Fabric, query: SmaQuery, data: Buffer): SmaAnswer {
  const problem = apply(fabric, query, data);
  if (problem !== undefined) return problem;
  const answer = answerGet(query);
  // The request's own bit comes back, as drivers answer it; a Get never shows it.
  if (query.attributeId === SmAttribute.PORT_INFO && Buffer.isBuffer(answer)) {
    answer.writeUInt8(answer.readUInt8(REREGISTER_AT) | (data.readUInt8(REREGISTER_AT) & 0x80), REREGISTER_AT);
  }
  return answer;
}

/** Byte of PortInfo whose top bit is ClientReregister. */
const REREGISTER_AT = 51;

function apply(fabric: Fabric, query: SmaQuery, data: Buffer): { readonly status: number } | undefined {
  const { node, entry, attributeModifier: modifier } = query;
  switch (query.attributeId) {
    case SmAttribute.PORT_INFO: {
      const port = portOf(query, modifier & 0xff);
      return port === undefined ? INVALID : applyPortInfo(fabric, port, data);
    }
    case SmAttribute.SWITCH_INFO:
      return applySwitchInfo(node, data);
    case SmAttribute.GUID_INFO:
      return applyGuids(fabric, node.kind === "switch" ? node.ports[0] : entry, modifier, data);
    case SmAttribute.PKEY_TABLE:
      return applyPkeys(fabric, portOf(query, pkeyPort(query)), modifier & 0xffff, data);
    case SmAttribute.SLVL_TABLE:
      node.slToVl.set(slToVlKey(query), Buffer.from(data.subarray(0, SL_TO_VL_SIZE)));
      return undefined;
    case SmAttribute.VL_ARBITRATION:
      return applyVlArbitration(query, data);
    case SmAttribute.LINEAR_FT:
      return applyLinear(node, modifier, data);
    case SmAttribute.MULTICAST_FT:
      return applyMulticast(node, modifier, data);
    default:
      return REFUSED;
  }
}

function applyVlArbitration(query: SmaQuery, data: Buffer): { readonly status: number } | undefined {
  const block = query.attributeModifier >>> 16;
  if (block < 1 || block > 4) return INVALID;
  query.node.vlArbitration.set(vlArbitrationKey(query), Buffer.from(data));
  return undefined;
}

function applySwitchInfo(node: FabricNode, data: Buffer): { readonly status: number } | undefined {
  if (node.tables === undefined) return INVALID;
  const info = decodeSwitchInfo(data);
  if (info.linearFdbTop >= ForwardingTables.LINEAR_CAP) return INVALID;
  node.tables.limitTo(info.linearFdbTop);
  node.lifeTimeValue = info.lifeTimeValue;
  node.switchDefaults = {
    port: info.defaultPort,
    multicastPrimary: info.defaultMulticastPrimaryPort,
    multicastNotPrimary: info.defaultMulticastNotPrimaryPort,
    multicastTop: info.multicastFdbTop,
  };
  // Writing a one clears the bit (IBA 14.2.5.4).
  if (info.portStateChange) node.hasPortStateChange = false;
  return undefined;
}

function applyGuids(
  fabric: Fabric,
  port: FabricPort | undefined,
  block: number,
  data: Buffer,
): { readonly status: number } | undefined {
  if (port === undefined || block >= GUID_CAP / GUIDS_PER_BLOCK) return INVALID;
  const table = [port.guid, ...port.aliasGuids];
  while (table.length < GUID_CAP) table.push(Guid.zero);
  for (let index = 0; index < GUIDS_PER_BLOCK; index++)
    table[block * GUIDS_PER_BLOCK + index] = Guid.read(data, index * 8);
  // Entry 0 is the port's own and cannot be written.
  const after = trimmed(table.slice(1), Guid.zero);
  if (isSame(after, port.aliasGuids)) return undefined;
  port.aliasGuids = after;
  fabric.events.emit({ type: "state", port });
  fabric.events.emit({ type: "async-event", port, event: "gid-change" });
  return undefined;
}

function applyPkeys(
  fabric: Fabric,
  port: FabricPort | undefined,
  block: number,
  data: Buffer,
): { readonly status: number } | undefined {
  if (port === undefined || block * PKEY_BLOCK_ENTRIES >= partitionCap(port)) return INVALID;
  const table: PKey[] = [...port.pkeys];
  const free = 0 as PKey;
  while (table.length < partitionCap(port)) table.push(free);
  table.splice(block * PKEY_BLOCK_ENTRIES, PKEY_BLOCK_ENTRIES, ...decodePKeyBlock(data));
  const after = trimmed(table.slice(0, partitionCap(port)), free);
  if (isSame(after, port.pkeys)) return undefined;
  port.pkeys = after;
  fabric.events.emit({ type: "state", port });
  if (port.isEndPort) fabric.events.emit({ type: "async-event", port, event: "pkey-change" });
  return undefined;
}

function applyLinear({ tables }: FabricNode, block: number, data: Buffer): { readonly status: number } | undefined {
  if (tables === undefined || block * LFT_BLOCK_ENTRIES >= ForwardingTables.LINEAR_CAP) return INVALID;
  for (let index = 0; index < LFT_BLOCK_ENTRIES; index++)
    tables.setRoute(block * LFT_BLOCK_ENTRIES + index, data.readUInt8(index));
  return undefined;
}

function applyMulticast(node: FabricNode, modifier: number, data: Buffer): { readonly status: number } | undefined {
  const firstPort = (modifier >>> 28) * PORTS_PER_MFT_POSITION;
  if (node.tables === undefined || firstPort > node.portCount) return INVALID;
  const firstLid = Lid.MULTICAST_MIN + (modifier & MULTICAST_BLOCK_MASK) * MFT_BLOCK_ENTRIES;
  for (const [index, mask] of decodeMftBlock(data).entries()) {
    const kept = [...node.tables.group(firstLid + index)].filter(
      (port) => port < firstPort || port >= firstPort + PORTS_PER_MFT_POSITION,
    );
    for (let bit = 0; bit < PORTS_PER_MFT_POSITION; bit++) if (mask & (1 << bit)) kept.push(firstPort + bit);
    node.tables.setGroup(firstLid + index, new Set(kept));
  }
  return undefined;
}

function isSame<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((one, index) => one === b[index]);
}
