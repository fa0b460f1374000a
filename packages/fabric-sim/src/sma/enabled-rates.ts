import { LinkSpeed, type PortInfo } from "@verbena/ib";
import type { FabricPort } from "../fabric/port.js";
import type { LinkMasks } from "../topology/link-speed.js";

/** Values that are no masks (IBA 14.2.5.6). */
const ALL_WIDTHS = 255;
const ALL_BASIC = 15;
const ALL_EXTENDED = 31;
const NO_EXTENDED = 30;
const ALL_EXTENDED_2 = 7;

const BASIC = LinkSpeed.SDR | LinkSpeed.DDR | LinkSpeed.QDR | LinkSpeed.FDR10;
const EXTENDED = LinkSpeed.FDR | LinkSpeed.EDR | LinkSpeed.HDR | LinkSpeed.NDR;

/**
 * The widths and speeds that a Set of PortInfo enables; 0 leaves a field as it is, and what the port does not support does not count.
 * `undefined`: nothing would be left.
 */
export function enabledRates({ masks, enabled }: FabricPort, info: PortInfo): LinkMasks | undefined {
  const widths = choose(info.linkWidthEnabled, ALL_WIDTHS, masks.widths, enabled.widths, info.linkWidthEnabled);
  // FDR10 is no speed of PortInfo: it goes with QDR.
  const withFdr10 = info.linkSpeedEnabled & LinkSpeed.QDR ? LinkSpeed.FDR10 : 0;
  const basicWanted = (info.linkSpeedEnabled & 7) | withFdr10;
  const basic = choose(info.linkSpeedEnabled, ALL_BASIC, masks.speeds & BASIC, enabled.speeds & BASIC, basicWanted);
  const extended = info.linkSpeedExtEnabled;
  const extendedWanted = extended === NO_EXTENDED ? 0 : (extended & 0xf) << 4;
  const fast = choose(extended, ALL_EXTENDED, masks.speeds & EXTENDED, enabled.speeds & EXTENDED, extendedWanted);
  const extended2 = info.linkSpeedExtEnabled2;
  const xdrWanted = extended2 & 1 ? LinkSpeed.XDR : 0;
  const xdr = choose(
    extended2,
    ALL_EXTENDED_2,
    masks.speeds & LinkSpeed.XDR,
    enabled.speeds & LinkSpeed.XDR,
    xdrWanted,
  );
  const speeds = basic | fast | xdr;
  return widths === 0 || speeds === 0 ? undefined : { widths, speeds };
}

function choose(field: number, all: number, supported: number, now: number, wanted: number): number {
  if (field === 0) return now;
  return field === all ? supported : wanted & supported;
}
