import {
  emptyPortInfo,
  emptySwitchInfo,
  LinkSpeed,
  type NodeInfo,
  NodeType,
  type PortInfo,
  type SmInfo,
  SmState,
  type SwitchInfo,
} from "@verbena/ib";
import { ForwardingTables } from "../fabric/forwarding-tables.js";
import type { FabricNode } from "../fabric/node.js";
import type { FabricPort } from "../fabric/port.js";

/** Entries of the P_Key table of a port: few for the management port of a switch. */
export function partitionCap(port: FabricPort): number {
  return port.number === 0 ? 8 : PARTITION_CAP;
}

const PARTITION_CAP = 64;
/** Entries of the GUID table of every end port. */
export const GUID_CAP = 32;
const REVISION = 0xa1;
const MULTICAST_CAP = 0x3fff;

const NODE_TYPES = { ca: NodeType.CHANNEL_ADAPTER, switch: NodeType.SWITCH, router: NodeType.ROUTER } as const;

/** NodeInfo as the node gives it through `port`. */
export function nodeInfo(port: FabricPort): NodeInfo {
  const { node } = port;
  return {
    baseVersion: 1,
    classVersion: 1,
    nodeType: NODE_TYPES[node.kind],
    numPorts: node.portCount,
    systemImageGuid: node.systemImageGuid,
    nodeGuid: node.nodeGuid,
    portGuid: port.guid,
    partitionCap: partitionCap(port.node.endPorts[0] ?? port),
    deviceId: node.deviceId,
    revision: REVISION,
    localPortNum: port.number,
    vendorId: node.vendorId,
  };
}

/** PortInfo of a port; `localPortNum` is the port by which the request came in. */
export function portInfo(port: FabricPort, localPortNum = port.number): PortInfo {
  const { link } = port;
  const speeds = splitSpeeds(port.masks.speeds);
  const enabled = splitSpeeds(port.enabled.speeds);
  const active = splitSpeeds(link.speed);
  const isEnd = port.isEndPort;
  const { settings } = port;
  return emptyPortInfo({
    ...settings,
    gidPrefix: isEnd ? port.gidPrefix : 0n,
    lid: isEnd ? port.lid : emptyPortInfo().lid,
    masterSmLid: isEnd ? port.smLid : emptyPortInfo().masterSmLid,
    capabilityMask: isEnd ? port.capabilityMask : 0,
    capabilityMask2: isEnd ? port.capabilityMask2 : 0,
    localPortNum,
    linkWidthEnabled: port.enabled.widths,
    linkWidthSupported: port.masks.widths,
    linkWidthActive: link.width,
    linkSpeedSupported: speeds.basic,
    linkSpeedEnabled: enabled.basic,
    linkSpeedActive: active.basic === 0 ? LinkSpeed.QDR : active.basic,
    linkSpeedExtSupported: speeds.extended,
    linkSpeedExtEnabled: enabled.extended,
    linkSpeedExtActive: active.extended,
    linkSpeedExtSupported2: speeds.extended2,
    linkSpeedExtEnabled2: enabled.extended2,
    linkSpeedExtActive2: active.extended2,
    portState: port.state,
    portPhysicalState: port.physState,
    lmc: isEnd ? port.lmc : 0,
    neighborMtu: port.neighborMtu,
    pkeyViolations: port.pkeyViolations,
    qkeyViolations: port.qkeyViolations,
    masterSmSl: isEnd ? port.smSl : 0,
    vlCap: 4,
    vlArbitrationHighCap: 8,
    vlArbitrationLowCap: 8,
    mtuCap: port.mtuCap,
    guidCap: isEnd ? GUID_CAP : 0,
    subnetTimeout: isEnd ? port.subnetTimeout : 0,
    respTimeValue: isEnd ? 16 : 0,
  });
}

/**
 * PortInfo keeps SDR to QDR, FDR to NDR and XDR apart. It has no room for FDR10, which shows as QDR; beside XDR it shows NDR, which is
 * what programs see that do not know the third field.
 */
function splitSpeeds(mask: number): { readonly basic: number; readonly extended: number; readonly extended2: number } {
  const basic = (mask & 7) | (mask & LinkSpeed.FDR10 ? LinkSpeed.QDR : 0);
  const withXdr = mask & LinkSpeed.XDR ? mask | LinkSpeed.NDR : mask;
  return { basic, extended: (withXdr >> 4) & 0xf, extended2: mask & LinkSpeed.XDR ? XDR : 0 };
}

/** Code of XDR in the second set of extended speeds. */
const XDR = 1;

/** SwitchInfo of a switch. */
export function switchInfo(node: FabricNode): SwitchInfo {
  return emptySwitchInfo({
    linearFdbCap: ForwardingTables.LINEAR_CAP,
    multicastFdbCap: MULTICAST_CAP,
    linearFdbTop: node.tables?.top ?? 0,
    lifeTimeValue: node.lifeTimeValue,
    portStateChange: node.hasPortStateChange,
    defaultPort: node.switchDefaults.port,
    defaultMulticastPrimaryPort: node.switchDefaults.multicastPrimary,
    defaultMulticastNotPrimaryPort: node.switchDefaults.multicastNotPrimary,
    multicastFdbTop: node.switchDefaults.multicastTop,
    partitionEnforcementCap: PARTITION_CAP,
  });
}

/** SMInfo of the built-in subnet manager. */
export function smInfo(port: FabricPort, activityCount: number): SmInfo {
  return { guid: port.guid, smKey: 0n, activityCount, priority: 0, state: SmState.MASTER };
}
