import { type Check, type Finding, finding, skipped } from "../check.js";
import type { DeviceFileSeen } from "../probe.js";
import { portName } from "./port-name.js";

const REMEDY =
  'run the daemon as root, or let its group in: KERNEL=="umad*", GROUP="rdma", MODE="0660" in /etc/udev/rules.d/90-umad.rules, then `udevadm trigger`';

/** Management datagrams: without them no subnet administrator can be asked. */
export const umadAccess: Check = {
  id: "umad-access",
  group: "access",
  title: "umad access",
  async run(probe) {
    const [opened, files] = await Promise.all([probe.umad(), probe.deviceFiles()]);
    const umad = files.filter(({ path }) => path.includes("/umad"));
    if (opened.length === 0) return umad.length === 0 ? skipped("no port to open") : umad.map(describeFile);
    return opened.map((port): Finding => {
      const subject = portName(port);
      const { problem } = port;
      if (problem === undefined) return finding("ok", "opens", { subject });
      const isDenied = problem.errno === "EACCES" || problem.errno === "EPERM";
      const remedy = isDenied ? REMEDY : problem.hint;
      return finding("fail", problem.reason, { subject, ...(remedy === undefined ? {} : { remedy }) });
    });
  },
};

function describeFile({ path, problem }: DeviceFileSeen): Finding {
  if (problem === undefined) return finding("ok", "readable and writable", { subject: path });
  return finding("fail", problem.reason, { subject: path, remedy: REMEDY });
}
