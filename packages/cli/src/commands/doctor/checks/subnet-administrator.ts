import { type Check, type Finding, finding, skipped } from "../check.js";
import type { SaSeen } from "../probe.js";
import { activePorts, portName } from "./port-name.js";

/** Whether the subnet administrator answers a ClassPortInfo query from every active port. */
export const subnetAdministrator: Check = {
  id: "subnet-administrator",
  group: "devices",
  title: "subnet administrator",
  async run(probe) {
    if (activePorts(await probe.devices()).length === 0) return skipped("no active InfiniBand port");
    return (await probe.sa()).map(describe);
  },
};

function describe(seen: SaSeen): Finding {
  const subject = portName(seen);
  const time = `${seen.tookMs.toFixed(1)} ms`;
  switch (seen.outcome) {
    case "answered":
      return finding("ok", `answered in ${time}`, { subject });
    case "refused": {
      const remedy = "look at the subnet manager's log; it is busy or does not know this port yet";
      const status = `0x${(seen.status ?? 0).toString(16).padStart(4, "0")}`;
      return finding("warn", `answered with status ${status} in ${time}`, { subject, remedy });
    }
    case "silent": {
      const remedy =
        "see with `sminfo` which subnet manager the port knows, and that it runs; `ibdiagnet` finds a broken way to it";
      return finding("fail", `no answer within ${time}`, { subject, remedy });
    }
    case "problem":
      return finding("fail", seen.problem?.reason ?? "cannot be asked", {
        subject,
        ...(seen.problem?.hint === undefined ? {} : { remedy: seen.problem.hint }),
      });
    default:
      return seen.outcome satisfies never;
  }
}
