import { type Check, type Finding, finding } from "../check.js";
import type { DeviceSeen } from "../probe.js";

/** Which devices there are, and whether libibverbs may open them. */
export const devices: Check = {
  id: "devices",
  group: "devices",
  title: "devices",
  async run(probe) {
    const seen = await probe.devices();
    if (seen.length > 0) return seen.map(describe);
    const remedy =
      probe.fabric === undefined
        ? "check with `lspci | grep -i infiniband` that the adapter is there and load its driver, or try `npm start` for a simulated fabric"
        : `start the fabric with \`verbena sim run TOPOLOGY --dir ${probe.fabric.dir}\` and look for ${probe.fabric.node} in \`verbena sim ctl --dir ${probe.fabric.dir} status\``;
    return [finding("fail", "no RDMA device", { remedy })];
  },
};

function describe({ name, via, firmware, problem, ports }: DeviceSeen): Finding {
  const count = `${String(ports.length)} ${ports.length === 1 ? "port" : "ports"}`;
  if (problem !== undefined) {
    const remedy = problem.hint ?? "give the daemon's user read and write access to /dev/infiniband/uverbs*";
    return finding("warn", `${count}; ${problem.reason}; changes are seen late`, { subject: name, remedy });
  }
  const about = firmware === undefined || firmware === "" ? "" : `, firmware ${firmware}`;
  return finding("ok", `${count}${about}${via === "umad" ? ", known to libibumad only" : ""}`, { subject: name });
}
