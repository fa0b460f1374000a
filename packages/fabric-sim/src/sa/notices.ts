import { Gid, NodeType, type Notice, NoticeType, TrapNumber } from "@verbena/ib";
import type { FabricPort } from "../fabric/port.js";

/** Notices that the manager itself gives come from a class manager (IBA 13.4.8.2, table 110). */
const CLASS_MANAGER = 4;
const DETAILS_SIZE = 54;
const GID_AT = 6;
const OTHER_LOCAL_CHANGES = 1;
const NODE_DESCRIPTION_CHANGED = 1;

const NODE_TYPES = { ca: NodeType.CHANNEL_ADAPTER, switch: NodeType.SWITCH, router: NodeType.ROUTER } as const;

/** Notice 64 to 67: the manager at `smPort` says that a GID or multicast group came or went. */
export function gidNotice(smPort: FabricPort, trapNumber: 64 | 65 | 66 | 67, gid: Gid): Notice {
  const details = Buffer.alloc(DETAILS_SIZE);
  Gid.write(details, GID_AT, gid);
  return {
    isGeneric: true,
    type: NoticeType.SUBNET_MANAGEMENT,
    producerType: CLASS_MANAGER,
    trapNumber,
    issuerLid: smPort.lid,
    toggle: false,
    count: 0,
    details,
    issuerGid: smPort.gid,
  };
}

/** Notice 144: the capability mask or the NodeDescription of `port` is new (IBA 14.2.5.1). */
export function localChangeNotice(port: FabricPort, hasNewDescription: boolean): Notice {
  const details = Buffer.alloc(DETAILS_SIZE);
  details.writeUInt16BE(port.lid, 2);
  details.writeUInt8(hasNewDescription ? OTHER_LOCAL_CHANGES : 0, 5);
  details.writeUInt32BE(port.capabilityMask >>> 0, 6);
  details.writeUInt16BE(hasNewDescription ? NODE_DESCRIPTION_CHANGED : 0, 10);
  return {
    isGeneric: true,
    type: NoticeType.INFORMATIONAL,
    producerType: NODE_TYPES[port.node.kind],
    trapNumber: TrapNumber.LOCAL_CHANGES,
    issuerLid: port.lid,
    toggle: false,
    count: 0,
    details,
    issuerGid: port.gid,
  };
}
