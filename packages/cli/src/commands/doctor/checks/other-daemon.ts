import { type Check, finding, skipped } from "../check.js";

const UNIT = "ibacm.service";

/** A real ibacm beside ours: only one can have the socket, the lock and the kernel's questions. */
export const otherDaemon: Check = {
  id: "other-daemon",
  group: "service",
  title: "other daemons",
  async run(probe) {
    if (probe.fabric !== undefined) return skipped("a simulated node is alone");
    const [units, running, ours] = await Promise.all([probe.units(), probe.processesNamed("ibacm"), probe.daemon()]);
    const others = running.filter((pid) => pid !== ours?.status.pid);
    if (others.length > 0) {
      const remedy = "decide for one: `systemctl disable --now ibacm.service ibacm.socket` stops the other";
      const seen = `ibacm runs (process ${others.join(", ")})`;
      return [finding(ours === undefined ? "warn" : "fail", seen, { subject: UNIT, remedy })];
    }
    if (units[UNIT] === "failed") {
      const remedy = `see \`systemctl status ${UNIT}\`, then \`systemctl reset-failed ${UNIT}\``;
      return [finding("warn", "failed", { subject: UNIT, remedy })];
    }
    return [finding("ok", "none runs")];
  },
};
