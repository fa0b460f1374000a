import {
  encodeLftBlock,
  encodeMftBlock,
  encodeNodeDescription,
  encodeNodeInfo,
  encodePKeyBlock,
  encodePortInfo,
  encodeSmInfo,
  encodeSwitchInfo,
  Guid,
  LFT_BLOCK_ENTRIES,
  Lid,
  LinkSpeed,
  MadStatus,
  MFT_BLOCK_ENTRIES,
  PKEY_BLOCK_ENTRIES,
  SMP_DATA_SIZE,
  SmAttribute,
} from "@verbena/ib";
import { ForwardingTables } from "../fabric/forwarding-tables.js";
import type { FabricNode } from "../fabric/node.js";
import type { FabricPort } from "../fabric/port.js";
import { GUID_CAP, nodeInfo, partitionCap, portInfo, smInfo, switchInfo } from "./attributes.js";

/** A Get that reached a node. */
export interface SmaQuery {
  readonly node: FabricNode;
  /** Port by which it came; port 0 of a switch if it was sent there by LID. */
  readonly entry: FabricPort;
  readonly attributeId: number;
  readonly attributeModifier: number;
}

/** The attribute's data, at most 64 bytes, or the status that says why there is none. */
export type SmaAnswer = Buffer | { readonly status: number };

const invalid: SmaAnswer = { status: MadStatus.INVALID_ATTRIBUTE_VALUE };
/** Vendor attribute that diagnostics ask devices of this vendor for. */
const MLNX_EXT_PORT_INFO = 0xff90;
const MELLANOX = 0x2c9;
export const GUIDS_PER_BLOCK = 8;
export const PORTS_PER_MFT_POSITION = 16;
/** Bits 0–8 of the modifier choose 32 LIDs, bits 28–31 sixteen ports. */
export const MULTICAST_BLOCK_MASK = 0x1ff;

/** What a node's subnet management agent answers to a Get (IBA 14.2.5). */
export function answerGet(query: SmaQuery): SmaAnswer {
  const { node, entry, attributeModifier: modifier } = query;
  switch (query.attributeId) {
    case SmAttribute.NODE_INFO:
      return encodeNodeInfo({
        ...nodeInfo(node.kind === "switch" ? (node.ports[0] ?? entry) : entry),
        localPortNum: entry.number,
      });
    case SmAttribute.NODE_DESCRIPTION:
      return encodeNodeDescription(node.description);
    case SmAttribute.PORT_INFO: {
      const port = portOf(query, modifier & 0xff);
      return port === undefined ? invalid : encodePortInfo(portInfo(port, entry.number));
    }
    case SmAttribute.SWITCH_INFO:
      return node.tables === undefined ? invalid : encodeSwitchInfo(switchInfo(node));
    case SmAttribute.GUID_INFO: {
      const owner = node.kind === "switch" ? node.ports[0] : entry;
      return owner === undefined || modifier >= GUID_CAP / GUIDS_PER_BLOCK ? invalid : guidBlock(owner, modifier);
    }
    case SmAttribute.PKEY_TABLE:
      return pkeyBlock(portOf(query, pkeyPort(query)), modifier & 0xffff);
    case SmAttribute.SLVL_TABLE:
      return node.slToVl.get(slToVlKey(query)) ?? Buffer.from(SL_TO_VL);
    case SmAttribute.VL_ARBITRATION:
      return node.vlArbitration.get(vlArbitrationKey(query)) ?? Buffer.alloc(SMP_DATA_SIZE);
    case SmAttribute.LINEAR_FT:
      return linearBlock(node, modifier);
    case SmAttribute.MULTICAST_FT:
      return multicastBlock(node, modifier);
    case SmAttribute.SM_INFO:
      return entry.hasBuiltInSm ? encodeSmInfo(smInfo(entry, 1)) : { status: MadStatus.METHOD_ATTRIBUTE_NOT_SUPPORTED };
    case MLNX_EXT_PORT_INFO: {
      const port = node.vendorId === MELLANOX ? portOf(query, modifier & 0xff) : undefined;
      return port === undefined ? { status: MadStatus.METHOD_ATTRIBUTE_NOT_SUPPORTED } : extendedPortInfo(port);
    }
    default:
      return { status: MadStatus.METHOD_ATTRIBUTE_NOT_SUPPORTED };
  }
}

/** ExtendedPortInfo of Mellanox: whether FDR10, which PortInfo cannot say, is supported, enabled and active. */
function extendedPortInfo(port: FabricPort): Buffer {
  const data = Buffer.alloc(SMP_DATA_SIZE);
  const able = (port.masks.speeds & LinkSpeed.FDR10) === 0 ? 0 : 1;
  data.writeUInt8(able, 7);
  data.writeUInt8((port.enabled.speeds & LinkSpeed.FDR10) === 0 ? 0 : 1, 11);
  data.writeUInt8(port.link.speed === LinkSpeed.FDR10 ? 1 : 0, 15);
  return data;
}

/** SL n goes to data VL n of eight, two to a byte. */
const SL_TO_VL = Uint8Array.from([0x01, 0x23, 0x45, 0x67, 0x01, 0x23, 0x45, 0x67]);

/** Port number 0 means the port of entry of a host, and port 0 of a switch. */
export function portOf({ node, entry }: SmaQuery, number: number): FabricPort | undefined {
  return number === 0 && node.kind !== "switch" ? entry : node.port(number);
}

/** Bits 16–31 name a port of a switch; a host has only the one that was asked (IBA 14.2.5.7). */
export function pkeyPort({ node, attributeModifier }: SmaQuery): number {
  return node.kind === "switch" ? attributeModifier >>> 16 : 0;
}

/** Input and output port of a switch; of a host the port that was asked (IBA 14.2.5.8). */
export function slToVlKey({ node, entry, attributeModifier }: SmaQuery): number {
  return node.kind === "switch" ? attributeModifier & 0xffff : entry.number;
}

/** Block and port of a switch; of a host the port that was asked (IBA 14.2.5.9). */
export function vlArbitrationKey({ node, entry, attributeModifier }: SmaQuery): number {
  const port = node.kind === "switch" ? attributeModifier & 0xff : entry.number;
  return (attributeModifier >>> 16) * 256 + port;
}

function guidBlock(port: FabricPort, block: number): Buffer {
  const data = Buffer.alloc(SMP_DATA_SIZE);
  const table = [port.guid, ...port.aliasGuids].slice(block * GUIDS_PER_BLOCK, (block + 1) * GUIDS_PER_BLOCK);
  for (const [index, guid] of table.entries()) Guid.write(data, index * 8, guid);
  return data;
}

function pkeyBlock(port: FabricPort | undefined, block: number): SmaAnswer {
  if (port === undefined || block * PKEY_BLOCK_ENTRIES >= partitionCap(port)) return invalid;
  return encodePKeyBlock(port.pkeys.slice(block * PKEY_BLOCK_ENTRIES, (block + 1) * PKEY_BLOCK_ENTRIES));
}

function linearBlock({ tables }: FabricNode, block: number): SmaAnswer {
  if (tables === undefined || block * LFT_BLOCK_ENTRIES >= ForwardingTables.LINEAR_CAP) return invalid;
  return encodeLftBlock(
    Array.from({ length: LFT_BLOCK_ENTRIES }, (_, index) => tables.entry(block * LFT_BLOCK_ENTRIES + index)),
  );
}

function multicastBlock({ tables, portCount }: FabricNode, modifier: number): SmaAnswer {
  const firstLid = Lid.MULTICAST_MIN + (modifier & MULTICAST_BLOCK_MASK) * MFT_BLOCK_ENTRIES;
  const firstPort = (modifier >>> 28) * PORTS_PER_MFT_POSITION;
  if (tables === undefined || firstPort > portCount) return invalid;
  const masks = Array.from({ length: MFT_BLOCK_ENTRIES }, (_, index) => {
    let mask = 0;
    for (const port of tables.group(firstLid + index)) {
      if (port >= firstPort && port < firstPort + PORTS_PER_MFT_POSITION) mask |= 1 << (port - firstPort);
    }
    return mask;
  });
  return encodeMftBlock(masks);
}
