import { PKey } from "@verbena/ib";
import { type Check, type Finding, finding, skipped } from "../check.js";
import type { PortSeen } from "../probe.js";
import { activePorts, portName } from "./port-name.js";

/** The P_Key table of every active port: which partitions, full or limited. */
export const partitions: Check = {
  id: "partitions",
  group: "devices",
  title: "P_Keys",
  async run(probe) {
    const active = activePorts(await probe.devices());
    return active.length === 0 ? skipped("no active InfiniBand port") : active.map(describe);
  },
};

function describe(port: PortSeen): Finding {
  const subject = portName(port);
  const table = port.pkeys.map((pkey) => PKey.from(pkey)).filter((pkey) => PKey.base(pkey) !== 0);
  if (table.length === 0) {
    const remedy = "put the port into a partition of the subnet manager's partitions file and reload it";
    return finding("fail", "none: the port is in no partition", { subject, remedy });
  }
  const seen = table.map((pkey) => `${PKey.format(pkey)} (${PKey.isFullMember(pkey) ? "full" : "limited"})`).join(", ");
  if (!table.some((pkey) => PKey.isFullMember(pkey))) {
    const remedy =
      "make it a full member of one partition in the subnet manager's partitions file, or resolve full members only";
    return finding("warn", `${seen}: two limited members cannot talk to each other`, { subject, remedy });
  }
  if (!table.some((pkey) => PKey.samePartition(pkey, PKey.DEFAULT))) {
    const remedy =
      "give the port 0x7fff in the subnet manager's partitions file: the subnet administrator is asked there";
    return finding("warn", `${seen}: not in the default partition`, { subject, remedy });
  }
  return finding("ok", seen, { subject });
}
