import { Guid } from "../value/guid.js";
import { needBytes } from "../wire/check.js";
import { putU8, putU16, putU24, putU32 } from "../wire/put.js";

/** Bytes of NodeInfo on the wire. */
export const NODE_INFO_SIZE = 40;

/** Values of {@link NodeInfo.nodeType}. */
export const NodeType = { CHANNEL_ADAPTER: 1, SWITCH: 2, ROUTER: 3 } as const;

/** SM NodeInfo (IBA 14.2.5.3). Host form; 40 bytes big-endian on the wire. */
export interface NodeInfo {
  /** 8 bits, 1. */
  readonly baseVersion: number;
  /** 8 bits, 1. */
  readonly classVersion: number;
  /** See {@link NodeType}; other values pass as data. */
  readonly nodeType: number;
  /** Physical ports, without a switch's port 0. */
  readonly numPorts: number;
  /** GUID that all nodes of one chassis share; 0 = none. */
  readonly systemImageGuid: Guid;
  /** GUID of the node: the same at all ports. */
  readonly nodeGuid: Guid;
  /** GUID of the port the request came in by (of port 0 for a switch). */
  readonly portGuid: Guid;
  /** Entries of the P_Key table. */
  readonly partitionCap: number;
  readonly deviceId: number;
  readonly revision: number;
  /** Port the request came in by. */
  readonly localPortNum: number;
  /** 24 bits. */
  readonly vendorId: number;
}

/** Writes 40 bytes at `offset`. Throws `VERBENA_IB_VALUE`/`_MALFORMED`. */
export function writeNodeInfo(buf: Buffer, offset: number, n: NodeInfo): void {
  needBytes("NodeInfo", buf, offset, NODE_INFO_SIZE);
  putU8(buf, offset, n.baseVersion, "NodeInfo.baseVersion");
  putU8(buf, offset + 1, n.classVersion, "NodeInfo.classVersion");
  putU8(buf, offset + 2, n.nodeType, "NodeInfo.nodeType");
  putU8(buf, offset + 3, n.numPorts, "NodeInfo.numPorts");
  Guid.write(buf, offset + 4, n.systemImageGuid);
  Guid.write(buf, offset + 12, n.nodeGuid);
  Guid.write(buf, offset + 20, n.portGuid);
  putU16(buf, offset + 28, n.partitionCap, "NodeInfo.partitionCap");
  putU16(buf, offset + 30, n.deviceId, "NodeInfo.deviceId");
  putU32(buf, offset + 32, n.revision, "NodeInfo.revision");
  putU8(buf, offset + 36, n.localPortNum, "NodeInfo.localPortNum");
  putU24(buf, offset + 37, n.vendorId, "NodeInfo.vendorId");
}

/** Encodes to 40 bytes. Throws `VERBENA_IB_VALUE`. */
export function encodeNodeInfo(info: NodeInfo): Buffer {
  const buf = Buffer.alloc(NODE_INFO_SIZE);
  writeNodeInfo(buf, 0, info);
  return buf;
}

/** Decodes 40 bytes at `offset`. Throws `VERBENA_IB_MALFORMED`. */
export function decodeNodeInfo(buf: Buffer, offset = 0): NodeInfo {
  needBytes("NodeInfo", buf, offset, NODE_INFO_SIZE);
  return {
    baseVersion: buf.readUInt8(offset),
    classVersion: buf.readUInt8(offset + 1),
    nodeType: buf.readUInt8(offset + 2),
    numPorts: buf.readUInt8(offset + 3),
    systemImageGuid: Guid.read(buf, offset + 4),
    nodeGuid: Guid.read(buf, offset + 12),
    portGuid: Guid.read(buf, offset + 20),
    partitionCap: buf.readUInt16BE(offset + 28),
    deviceId: buf.readUInt16BE(offset + 30),
    revision: buf.readUInt32BE(offset + 32),
    localPortNum: buf.readUInt8(offset + 36),
    vendorId: buf.readUIntBE(offset + 37, 3),
  };
}
