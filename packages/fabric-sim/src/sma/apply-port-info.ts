import { decodePortInfo, Lid, MadStatus, type PortInfo, PortPhysicalState, PortState } from "@verbena/ib";
import type { PortEventName } from "../attach/attach-host.js";
import type { Fabric } from "../fabric/fabric.js";
import type { FabricPort } from "../fabric/port.js";
import { enabledRates } from "./enabled-rates.js";

const INVALID = { status: MadStatus.INVALID_ATTRIBUTE_VALUE } as const;

/**
 * Set of PortInfo (IBA 14.2.5.6): checks everything first, so that a refused request changes nothing. Programs on an HCA port get
 * the events in the order in which a Linux driver gives them. Enabled widths and speeds hold from the next training of the link on.
 */
export function applyPortInfo(fabric: Fabric, port: FabricPort, data: Buffer): { readonly status: number } | undefined {
  const info = decodePortInfo(data);
  const enabled = port.number === 0 ? port.enabled : enabledRates(port, info);
  if (enabled === undefined || !isPossible(port, info)) return INVALID;
  const events: PortEventName[] = [];
  port.enabled = enabled;
  keepSettings(port, info);
  port.pkeyViolations = info.pkeyViolations;
  port.qkeyViolations = info.qkeyViolations;
  if (port.number !== 0) port.neighborMtu = info.neighborMtu === 0 ? port.neighborMtu : info.neighborMtu;
  if (port.isEndPort) applyEndPort(port, info, events);
  if (info.portState === PortState.ARMED && port.number !== 0) port.state = PortState.ARMED;
  if (info.portState === PortState.ACTIVE && port.number !== 0 && port.state !== PortState.ACTIVE) {
    port.state = PortState.ACTIVE;
    if (port.isEndPort) events.push("port-active");
  }
  fabric.events.emit({ type: "state", port });
  if (port.number !== 0) for (const event of events) fabric.events.emit({ type: "async-event", port, event });
  retrain(fabric, port, info);
  return undefined;
}

function isPossible(port: FabricPort, info: PortInfo): boolean {
  if (port.isEndPort && (!Lid.isUnicast(info.lid) || info.lid + (1 << info.lmc) - 1 > Lid.UNICAST_MAX)) return false;
  if (port.isEndPort && info.lid % (1 << info.lmc) !== 0) return false;
  if (info.neighborMtu > port.mtuCap) return false;
  if (port.number === 0) return true;
  switch (info.portState) {
    case PortState.NO_CHANGE:
    case PortState.DOWN:
      return true;
    case PortState.ARMED:
      return port.state === PortState.INIT || port.state === PortState.ARMED;
    case PortState.ACTIVE:
      return port.state === PortState.ARMED || port.state === PortState.ACTIVE;
    default:
      return false;
  }
}

function keepSettings(port: FabricPort, info: PortInfo): void {
  const before = port.settings;
  port.settings = {
    mkey: port.isEndPort ? info.mkey : before.mkey,
    mkeyLeasePeriod: port.isEndPort ? info.mkeyLeasePeriod : before.mkeyLeasePeriod,
    mkeyProtectBits: port.isEndPort ? info.mkeyProtectBits : before.mkeyProtectBits,
    linkDownDefaultState: info.linkDownDefaultState === 0 ? before.linkDownDefaultState : info.linkDownDefaultState,
    vlHighLimit: info.vlHighLimit,
    vlStallCount: info.vlStallCount,
    hoqLife: info.hoqLife,
    operationalVls: info.operationalVls === 0 ? before.operationalVls : info.operationalVls,
    partitionEnforcement: info.partitionEnforcement,
    localPhyErrors: info.localPhyErrors,
    overrunErrors: info.overrunErrors,
  };
}

function applyEndPort(port: FabricPort, info: PortInfo, events: PortEventName[]): void {
  if (info.gidPrefix !== port.gidPrefix) {
    port.gidPrefix = info.gidPrefix;
    events.push("gid-change");
  }
  if (info.masterSmLid !== port.smLid || info.masterSmSl !== port.smSl) events.push("sm-change");
  if (info.clientReregister) events.push("client-reregister");
  const lmc = port.number === 0 ? 0 : info.lmc;
  if (info.lid !== port.lid || lmc !== port.lmc) events.push("lid-change");
  port.smLid = info.masterSmLid;
  port.smSl = info.masterSmSl;
  port.lid = info.lid;
  port.lmc = lmc;
  port.subnetTimeout = info.subnetTimeout;
}

/** A port that is told to be down trains anew, or stays disabled; after the answer has left by it. */
function retrain(fabric: Fabric, port: FabricPort, info: PortInfo): void {
  if (port.number === 0 || port.cable === undefined || info.portState !== PortState.DOWN) return;
  const isEnabling = info.portPhysicalState !== PortPhysicalState.DISABLED;
  fabric.services.defer(() => {
    fabric.setLink(port, false);
    if (isEnabling) fabric.setLink(port, true);
  });
}
