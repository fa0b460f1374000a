/** Links of XDR as PortInfo says them: in a field of their own, with NDR beside it. */
import { decodePortInfo, emptyPortInfo, encodePortInfo, PortCapability, PortCapability2 } from "@verbena/ib";
import { Simulation } from "../src/process/simulation.js";
import { portInfo } from "../src/sma/attributes.js";
import { enabledRates } from "../src/sma/enabled-rates.js";
import { fatTree } from "../src/topology/generate.js";
import { formatLinkRate } from "../src/topology/link-speed.js";
import { ManualServices } from "./manual-services.js";

const { fabric } = new Simulation(fatTree({ hosts: 2, leafs: 1, spines: 1, rate: "4xXDR" }), new ManualServices());
const host = fabric.portNamed("H1");

it("PortInfo says XDR in byte 56, and in CapabilityMask2 that it does", () => {
  const info = decodePortInfo(encodePortInfo(portInfo(host)));
  expect(encodePortInfo(info)[56]).toBe(0b0_01_01_001);
  expect([info.linkSpeedExtActive, info.linkSpeedExtSupported, info.linkSpeedExtEnabled]).toEqual([8, 15, 15]);
  expect(info.capabilityMask & PortCapability.HAS_CAP_MASK2).not.toBe(0);
  expect(info.capabilityMask2).toBe(
    PortCapability2.IS_LINK_SPEED_HDR |
      PortCapability2.IS_LINK_SPEED_NDR |
      PortCapability2.IS_EXTENDED_SPEEDS_2 |
      PortCapability2.IS_LINK_SPEED_XDR,
  );
  expect(portInfo(fabric.portNamed("L1[0]")).capabilityMask2).toBe(info.capabilityMask2);
});

// 0 leaves it as it is, 7 is all that is supported, and a mask without the bit of XDR turns it off.
it.each([
  [0, 31, "4xXDR"],
  [7, 31, "4xXDR"],
  [1, 30, "4xXDR"],
  [6, 31, "4xNDR"],
  [6, 7, "4xHDR"],
])("LinkSpeedExtEnabled2 %i with LinkSpeedExtEnabled %i gives %s", (second, first, rate) => {
  const before = host.enabled;
  const enabled = enabledRates(host, emptyPortInfo({ linkSpeedExtEnabled: first, linkSpeedExtEnabled2: second }));
  expect(enabled).toBeDefined();
  host.enabled = enabled ?? before;
  host.train();
  expect(formatLinkRate(host.link)).toBe(rate);
  expect(portInfo(host).linkSpeedExtActive2).toBe(rate === "4xXDR" ? 1 : 0);
  host.enabled = before;
});
