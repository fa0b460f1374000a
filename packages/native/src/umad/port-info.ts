import { Guid, Lid, PKey } from "@verbena/ib";
import type { PortState, UmadPortInfo } from "../api/umad.js";
import type { UmadPortDescription } from "../binding.js";

const STATES: readonly PortState[] = ["unknown", "down", "init", "armed", "active", "active-defer"];

/** Name of a PortInfo:PortState code; codes that are not assigned are `unknown`. */
export function portState(code: number): PortState {
  return STATES[code] ?? "unknown";
}

/** Names and brands what the addon read. */
export function toUmadPortInfo(raw: UmadPortDescription): UmadPortInfo {
  return {
    device: raw.device,
    nodeGuid: Guid.from(raw.nodeGuid),
    portCount: raw.portCount,
    port: raw.port,
    portGuid: Guid.from(raw.portGuid),
    gidPrefix: raw.gidPrefix,
    lid: Lid.from(raw.lid & 0xffff),
    lmc: raw.lmc,
    smLid: Lid.from(raw.smLid & 0xffff),
    smSl: raw.smSl,
    state: portState(raw.state),
    physState: raw.physState,
    rateGbps: raw.rate,
    capabilityMask: raw.capabilityMask,
    pkeys: raw.pkeys.map((pkey) => PKey.from(pkey)),
    linkLayer: raw.linkLayer,
  };
}
