import { type Check, type Finding, finding, skipped } from "../check.js";
import type { PortSeen } from "../probe.js";
import { activePorts, portName } from "./port-name.js";

/** State, link layer, LIDs and rate of every port; at least one must be active and InfiniBand. */
export const ports: Check = {
  id: "ports",
  group: "devices",
  title: "ports",
  async run(probe) {
    const devices = await probe.devices();
    const all = devices.flatMap((device) => device.ports);
    if (all.length === 0) return skipped("no device");
    const hasActive = activePorts(devices).length > 0;
    const findings = all.map((port) => describe(port, hasActive));
    if (all.some(({ isInfiniBand }) => isInfiniBand)) return findings;
    const remedy =
      "use an InfiniBand port: set the link type of a dual-mode adapter with `mlxconfig -d DEVICE set LINK_TYPE_P1=1` and restart it";
    return [...findings, finding("fail", "no InfiniBand port: nothing can be resolved from this host", { remedy })];
  },
};

function describe(port: PortSeen, hasActive: boolean): Finding {
  const { state, linkLayer, isInfiniBand, lid, smLid, rateGbps } = port;
  const subject = portName(port);
  if (!isInfiniBand) return finding("skip", `${state}, ${linkLayer} (RoCE): not served`, { subject });
  const rate = rateGbps === undefined ? "rate unknown" : `${String(rateGbps)} Gb/s`;
  const seen = `${state}, InfiniBand, LID ${String(lid)}, SM LID ${String(smLid)}, ${rate}`;
  if (state === "active") {
    if (lid !== 0 && smLid !== 0) return finding("ok", seen, { subject });
    return finding("fail", `${seen}: a LID of 0 is none`, { subject, remedy: START_SM });
  }
  if (state === "init" || state === "armed") {
    return finding("fail", `${seen}: no subnet manager has made it active`, { subject, remedy: START_SM });
  }
  const remedy = `check the cable and the other end, then \`ibstat ${port.device} ${String(port.port)}\``;
  return finding(hasActive ? "warn" : "fail", seen, { subject, remedy });
}

const START_SM = "start a subnet manager on this subnet, such as `systemctl start opensm` on one host";
